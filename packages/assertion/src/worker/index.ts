export { NonceGuard, type OpenNonce } from './nonce-guard-object.ts'
