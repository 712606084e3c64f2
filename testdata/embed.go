// Package testdata holds kernels and launch scripts with known answers.
package testdata

import "embed"

// Demo is the script that the demo command runs, with its kernel and the
// kernel's source.
//
//go:embed amp/matmul_tiled.amber amp/matmul_tiled.comp amp/matmul_tiled.spvasm
var Demo embed.FS
