import { parseArgs } from 'node:util'
import { loadDevSecrets } from './lib/dev-secrets.ts'
import { reportPublication } from './lib/publication.ts'
import { DEFAULT_PORT_BASE, DEFAULT_STATE_DIR, firstSentence, portOf, resolveFromCaller } from './lib/workspace.ts'

const HELP = `Usage: scripts/publish-anchor published|confirmed ANCHOR CHAIN TX [options]

Reports a ledger transaction of an anchor, signed by the publisher's key. This is the reference of what a publisher
says to the service; it writes to no ledger.

Options:
  --core URL            the core service (default http://localhost:${portOf('core', DEFAULT_PORT_BASE)})
  --state DIR           where the publisher's seed is (default .state, written by scripts/start)
  --help                show this

PUBLISHER_SEED in the environment, 64 hex characters, takes the place of --state.`

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
  const [state, anchorId, chain, tx] = positionals
  const isReport = (state === 'published' || state === 'confirmed') && anchorId && chain && tx
  if (values.help || !isReport) {
    console.log(HELP)
    return values.help ? 0 : 2
  }
  const seed = publisherSeed(values.state === undefined ? DEFAULT_STATE_DIR : resolveFromCaller(values.state))
  console.log(JSON.stringify(await reportPublication(values.core, { anchorId, chain, tx, state }, seed), null, 2))
  return 0
}

function publisherSeed(stateDir: string): Uint8Array {
  const seed = process.env['PUBLISHER_SEED']
  if (seed === undefined) return loadDevSecrets(stateDir).publisherSeed
  if (!/^[0-9a-f]{64}$/.test(seed)) throw new Error('PUBLISHER_SEED must be 64 lowercase hex characters')
  return new Uint8Array(Buffer.from(seed, 'hex'))
}
