// Package texel is the arithmetic of images: texel formats, texel addressing
// and sampling, as Vulkan 1.3 defines them for compute shaders.
//
//	Format   what the bytes of one texel mean: Encode and Decode
//	Image    a view of bytes as levels, layers and texels: Offset, Fetch, Write
//	Sampler  filters, address modes, comparison: Sample, Gather
//
// A texel in the shader's hands is a Texel: four components R, G, B, A, each
// the raw bits of a float32, an int32 or a uint32 in the low half of a uint64,
// or 64 bits wide for the R64 formats. Components that a format lacks read as
// (0, 0, 0, 1).
//
// Section names in comments ("Texel Coordinate Systems", ...) are those of the
// Vulkan specification. Where it leaves a choice, the preferred or the most
// precise one is taken: rounding is to nearest even, filter weights have full
// float64 precision, subnormals are kept.
//
// A compute shader has no implicit derivatives (outside derivative groups), so
// there is no implicit level of detail: a caller gives the level of detail,
// 0 for the instructions without one, or takes it from explicit gradients with
// Image.GradientLOD.
//
// Nothing here allocates per texel, and no coordinate, level of detail or
// image shape, not even NaN or an image that Check refuses, makes an access
// outside Image.Data or panics. Not covered: compressed, multi-planar and
// combined depth-stencil formats, anisotropy, and reduction modes.
package texel
