import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { LICENCE_TIERS } from '@svc/protocol/licences'
import { loadDevSecrets } from './lib/dev-secrets.ts'
import { newActivationCode, type OperatorAct, sendOperatorAct } from './lib/operator-act.ts'
import { DEFAULT_PORT_BASE, DEFAULT_STATE_DIR, firstSentence, portOf, resolveFromCaller } from './lib/workspace.ts'

const HELP = `Usage: scripts/admin <act> [options]

Signs an operator act and sends it. Each act is recorded by the service that takes it.

Acts:
  reindex-chain DID             rebuild the chain projection of one identity
  approve-rotation DID ID       approve a pending version-1 rotation, by its rotationId
  first-policy FILE             set the first governance policy, from a JSON file
  activation-code TIER DAYS     issue an activation code for a licence of so many days; prints the code, once.
                                Tiers: ${LICENCE_TIERS.join(', ')}

Options:
  --core URL            the core service (default http://localhost:${portOf('core', DEFAULT_PORT_BASE)})
  --state DIR           where the operator's seed is (default .state, written by scripts/start)
  --help                show this

OPERATOR_SEED in the environment, 64 hex characters, takes the place of --state.`

interface Act extends OperatorAct {
  /** What the operator must see besides the answer. */
  readonly shown?: string
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(firstSentence(error))
  process.exitCode = 1
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      core: { type: 'string', default: `http://localhost:${portOf('core', DEFAULT_PORT_BASE)}` },
      state: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const act = values.help ? null : actOf(positionals)
  if (!act) {
    console.log(HELP)
    return values.help ? 0 : 2
  }
  const seed = operatorSeed(values.state === undefined ? DEFAULT_STATE_DIR : resolveFromCaller(values.state))
  const response = await sendOperatorAct(values.core, seed, act)
  console.log(JSON.stringify(await response.json(), null, 2))
  if (response.ok && act.shown !== undefined) console.log(act.shown)
  return response.ok ? 0 : 1
}

function actOf([name, ...operands]: readonly string[]): Act | null {
  const [did, rotationId] = operands
  if (name === 'reindex-chain' && did !== undefined) return { type: 'svc/operator-chain-reindex/v1', members: { did } }
  if (name === 'approve-rotation' && did !== undefined && rotationId !== undefined) {
    return { type: 'svc/operator-rotation-approve/v1', members: { did, rotationId } }
  }
  if (name === 'first-policy' && did !== undefined) {
    const policy: unknown = JSON.parse(readFileSync(resolveFromCaller(did), 'utf8'))
    return { type: 'svc/operator-governance-policy/v1', members: { policy } }
  }
  if (name === 'activation-code') return activationCode(operands)
  return null
}

function activationCode([name, days]: readonly string[]): Act | null {
  const tier = LICENCE_TIERS.find((known) => known === name)
  if (tier === undefined || !/^[0-9]{1,4}$/.test(days ?? '')) return null
  const { code, act } = newActivationCode(tier, Number(days))
  return { ...act, shown: code }
}

function operatorSeed(stateDir: string): Uint8Array {
  const seed = process.env['OPERATOR_SEED']
  if (seed === undefined) return loadDevSecrets(stateDir).operatorSeed
  if (!/^[0-9a-f]{64}$/.test(seed)) throw new Error('OPERATOR_SEED must be 64 lowercase hex characters')
  return new Uint8Array(Buffer.from(seed, 'hex'))
}
