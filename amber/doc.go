// Package amber parses AmberScript, the launch format: shaders, buffers,
// pipelines, runs and expectations, as Google's amber reads them.
//
// It is a parser and nothing else. A script becomes a Script: statements in
// file order, made of words that remember their byte offset. Names are not
// resolved, data types and values are not interpreted, no file is opened; that
// is package launch's work. Errors are reported in one go, the parser goes on
// after each; graphics and ray tracing are recognised and reported as
// diag.Unsupported.
package amber
