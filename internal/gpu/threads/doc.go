// Package threads determines which thread of a GPU holds which element of a tile: a thread-value layout maps (thread, value) to a coordinate.
//
//	Parse("((4,8),(2,2)):((32,1),(16,8))", [16 8])  → Layout    CuTe's, over a tile with the first dim fastest
//	Parse("SM80_16x8x16_F32F16F16F32_TN:A", nil)    → Layout    a part of an atom of CUTLASS, PTX or AMD
//	Layout.At(5, 3)       → (9, 3)                  the element of a value of a thread
//	Layout.Owners(9, 3)   → thread 5, value 3       the values that hold an element
//	Layout.Access(memory) → vector width, sectors   what a warp reads or writes at once
//	Layout.Cell(owner)    → CTA 1, lane 70, column 8  where tensor memory has it: there, lanes are threads and columns are values
//
// Layouts are tables, so that every dialect is one function of (thread, value): sums of digits (CuTe), XOR of bases (Triton).
package threads
