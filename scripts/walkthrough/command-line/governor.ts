/**
 * The signer of the policy that the programs of a local platform share: prints its public key, or puts another policy in
 * force. Fails if the policy in force is not its own to replace.
 *
 *   node governor.ts STATE
 *   node governor.ts STATE CORE POLICY
 */
import { readFileSync } from 'node:fs'
import { Client } from '@svc/client'
import { governorOf } from '@svc/platform/callers/governor'
import { loadDevSecrets } from '@svc/platform/dev-secrets'

const [state = '', core, policy = ''] = process.argv.slice(2)
const identity = await governorOf(loadDevSecrets(state).operatorSeed)
if (core === undefined) console.log(identity.publicKeyB64u)
else {
  const { chain, governance } = await Client.connect({ core, identity })
  await chain.head().catch(() => chain.genesis())
  const wanted = JSON.parse(readFileSync(policy, 'utf8')) as Parameters<typeof governance.propose>[0]
  const next = await governance.propose(wanted)
  await governance.publish(next, [await governance.attest(next)])
}
