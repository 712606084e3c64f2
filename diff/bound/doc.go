// Package bound keeps, beside a number that the emulator computes, how far the
// same number of a machine that keeps Vulkan's rules may be from it: a running
// error bound.
//
// A Value goes with a scalar in a register, a Number is a scalar and its bound
// together. x^ is the emulator's result, x any legal machine's, a and b the
// operands, E(a) the bound of a, u half a unit in the last place of 1, ulp(x)
// the unit of x. Rules marked * apply where NoContraction is absent.
//
//	operation                        bound of the result                       source
//	---------                        -------------------                       ------
//	constants, built-in inputs,      0
//	what memory held at the start
//	copies, phi, select, shuffles,   that of the source                        SPIR-V: they keep bits
//	loads, stores, bit casts
//	FAdd, FSub                       0 if E(a) = E(b) = 0, otherwise           correctly rounded
//	                                 E(a) + E(b) + ulp(x)
//	FAdd, FSub *                     of n terms that such operations have      may be contracted and
//	                                 added up: sum of E(term) + what the       reassociated: any order,
//	                                 emulator has rounded + (n-1) u sum        products unrounded
//	                                 |term|; a product counts unrounded
//	FMul                             0 if E(a) = E(b) = 0, otherwise           correctly rounded
//	                                 |a|E(b) + |b|E(a) + E(a)E(b) + ulp(x)
//	FMul * of a product              likewise, with the product unrounded      reassociation
//	FDiv                             (E(a) + |a/b|E(b)) / (|b|-E(b))           2.5 ULP for |b| in
//	                                 + 2.5 ULP; none where b may be 0          [2^-126, 2^126]
//	Fma                              as FMul, then FAdd, rounded or not        as FMul then FAdd
//	Dot, matrix products             sums of products in any order             as their formula
//	FRem, FMod                       as a - b*trunc(a/b), a - b*floor(a/b)     inherited
//	exp, exp2                        (3+2|x|) ULP, 16 bits: (1+2|x|)           table
//	log, log2                        3 ULP, 2^-21 (16 bits: 2^-7) absolute     table
//	                                 within [0.5, 2]
//	sin, cos                         2^-11 (16 bits: 2^-7), times |x|/pi       table; none is given
//	                                 outside of [-pi, pi]                      outside
//	atan, atan2                      4096 ULP, 16 bits: 5 ULP                  table
//	inversesqrt, sqrt                2 ULP; as 1/inversesqrt                   table; inherited
//	pow, tan, asin, acos, sinh,      their formula in the table, worked out    inherited
//	cosh, tanh, asinh, acosh,        with bounds
//	atanh, length, distance,
//	normalize, reflect, refract,
//	cross, determinant, inverse,
//	mix, smoothstep, radians,
//	degrees
//	negate, abs, min, max, clamp     the largest of the operands               exact
//	floor, ceil, trunc, round,       what the result may become when the       exact
//	fract, sign, step, modf, frexp   operand moves by its bound
//	round of a half                  1                                         either direction
//	FConvert, int to float           E(a) + ulp(x) if E(a) > 0                 correctly rounded
//	float to int                     as trunc; then a bound of an integer      exact
//	comparisons                      uncertain if the operands' ranges         exact
//	                                 overlap and one is inexact
//	select by an uncertain truth     |b-c| + max(E(b), E(c))
//	IAdd, ISub, IMul, negate, abs,   as real numbers, nothing rounded          exact
//	min, max of integers
//	other integer operations         0 of exact operands, otherwise none
//	reductions, scans                as the sum, product, ... of the lanes,    any association
//	                                 in any order
//	atomic add of floats             as a sum in any order                     any order
//	image read, write                that of the texel, + one step of a        conversion of texels
//	                                 format that stores fractions
//	image sample                     the largest of the image                  weights have few bits
//	                                 + 2^-7 of its magnitude
//	RelaxedPrecision                 + 2^-10 of the result                     16 bits suffice
//	denormals that are not pinned    + the smallest normal number, where an    may be flushed
//	                                 operand, the result, or what a formula
//	                                 has in between may be one
//
// An operation maps what an operand may be to what the result may be: monotone
// functions by their values at both ends, the others by their derivative. That
// is a bound and no estimate, but for two things: a sum of n terms uses n u
// where the theory has n u/(1 - n u) only if that matters, and the bounds
// themselves are computed in double precision and not rounded up.
//
// "None" is an infinite bound: the result may be anything. Value.Why then says
// which operation it comes from.
package bound
