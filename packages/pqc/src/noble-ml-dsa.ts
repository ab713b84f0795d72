/** A module of its own, so that bundlers can load it late. */
export { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'
