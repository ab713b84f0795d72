/** Loaded when it is needed, as one: each further part would split what it shares with the rest of a client. */
export { keysOfSigner } from '../signers/signer-keys.ts'
export { watchTokenOf } from '../watch/watch-token.ts'
export { agreementBy } from './agreement.ts'
export { messageBy } from './message.ts'
