export { NonceGuard } from './nonce-guard-object.ts'
