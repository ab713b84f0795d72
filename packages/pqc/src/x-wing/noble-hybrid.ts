/** In a module of its own, so that bundlers drop the other hybrids from what is loaded late. */
export { ml_kem768_x25519 as hybrid } from '@noble/post-quantum/hybrid.js'
