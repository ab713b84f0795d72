import { parseArgs } from 'node:util'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base64url'
import { type StatementType, signStatement } from '@svc/protocol/statement'
import { loadDevSecrets } from './lib/dev-secrets.ts'
import { DEFAULT_PORT_BASE, DEFAULT_STATE_DIR, firstSentence, portOf, resolveFromCaller } from './lib/workspace.ts'

const HELP = `Usage: scripts/admin <act> [options]

Signs an operator act and sends it. Each act is recorded by the service that takes it.

Acts:
  reindex-chain DID             rebuild the chain projection of one identity
  approve-rotation DID ID       approve a pending version-1 rotation, by its rotationId

Options:
  --core URL            the core service (default http://localhost:${portOf('core', DEFAULT_PORT_BASE)})
  --state DIR           where the operator's seed is (default .state, written by scripts/start)
  --help                show this

OPERATOR_SEED in the environment, 64 hex characters, takes the place of --state.`

interface Act {
  readonly type: StatementType
  readonly members: Record<string, string>
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
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(24)))
  const statement = { type: act.type, ...act.members, nonce, issuedAt: Date.now() }
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  const response = await fetch(`${values.core}/api/operator/acts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(signed),
  })
  console.log(JSON.stringify(await response.json(), null, 2))
  return response.ok ? 0 : 1
}

function actOf([name, ...operands]: readonly string[]): Act | null {
  const [did, rotationId] = operands
  if (name === 'reindex-chain' && did !== undefined) return { type: 'svc/operator-chain-reindex/v1', members: { did } }
  if (name === 'approve-rotation' && did !== undefined && rotationId !== undefined) {
    return { type: 'svc/operator-rotation-approve/v1', members: { did, rotationId } }
  }
  return null
}

function operatorSeed(stateDir: string): Uint8Array {
  const seed = process.env['OPERATOR_SEED']
  if (seed === undefined) return loadDevSecrets(stateDir).operatorSeed
  if (!/^[0-9a-f]{64}$/.test(seed)) throw new Error('OPERATOR_SEED must be 64 lowercase hex characters')
  return new Uint8Array(Buffer.from(seed, 'hex'))
}
