/** A module of its own, so that bundlers can load it late. */
export { ml_kem768 } from '@noble/post-quantum/ml-kem.js'
