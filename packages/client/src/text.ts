/**
 * What people type, and what is in their files, in the one form that keys and signatures are made from.
 *
 * @module
 */
export { type Secret, secretOf } from './text/secret.ts'
export { shellWordOf } from './text/shell-word.ts'
export { TextError, textOf } from './text/text-of.ts'
export { shownTextOf } from './text/utf8.ts'
export { visibleJsonOf, visibleLineOf, visibleOf } from './text/visible.ts'
