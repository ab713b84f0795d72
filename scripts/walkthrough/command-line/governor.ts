/**
 * Prints the public key of the signer that the programs of a local platform share.
 *
 *   node governor.ts STATE
 */
import { governorOf } from '@svc/platform/callers/governor'
import { loadDevSecrets } from '@svc/platform/dev-secrets'

const [state = ''] = process.argv.slice(2)
console.log((await governorOf(loadDevSecrets(state).operatorSeed)).publicKeyB64u)
