import { parseArgs } from 'node:util'
import { type DevSecrets, loadDevSecrets } from './dev-secrets.ts'
import { DEFAULT_PORT_BASE, DEFAULT_STATE_DIR, firstSentence, portOf, resolveFromCaller } from './workspace.ts'

/** What a command gets that signs for a deployment and sends to its services. */
export interface Signing {
  readonly core: string
  readonly did: string
  readonly keys: string
  readonly pay: string
  readonly provenance: string
  /** The Origin of a service that demands one of programs. */
  readonly origin: string
  readonly operands: readonly string[]
  /** Read when it is needed: a wrong usage asks for no secret. */
  readonly seed: () => Uint8Array
}

interface Command {
  readonly usage: string
  /** Whose key signs: `operator` reads OPERATOR_SEED, or the seed of the local state. */
  readonly signer: 'operator' | 'publisher'
  /** The exit code, or null for a usage that is not understood. */
  readonly run: (signing: Signing) => Promise<number | null>
}

const DEFAULT_CORE = `http://localhost:${portOf('core', DEFAULT_PORT_BASE)}`
const DEFAULT_DID = `http://localhost:${portOf('did', DEFAULT_PORT_BASE)}`
const DEFAULT_KEYS = `http://localhost:${portOf('keys', DEFAULT_PORT_BASE)}`
const DEFAULT_PAY = `http://localhost:${portOf('pay', DEFAULT_PORT_BASE)}`
const DEFAULT_PROVENANCE = `http://localhost:${portOf('provenance', DEFAULT_PORT_BASE)}`
/** On the allowlists of a local deployment. */
const DEFAULT_ORIGIN = 'http://localhost:3000'

const OPERATOR_OPTIONS = `
  --did URL             the DID service (default ${DEFAULT_DID})
  --keys URL            the key directory (default ${DEFAULT_KEYS})
  --origin ORIGIN       sent to these two, which demand an allowlisted one (default ${DEFAULT_ORIGIN})
  --pay URL             the payments service (default ${DEFAULT_PAY})
  --provenance URL      the provenance service (default ${DEFAULT_PROVENANCE})`

/** Reads the options that such commands share, runs the command and sets the exit code of the process. */
export async function signingCommand(command: Command): Promise<void> {
  try {
    process.exitCode = await runCommand(command)
  } catch (error) {
    console.error(firstSentence(error))
    process.exitCode = 1
  }
}

async function runCommand({ usage, signer, run }: Command): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      core: { type: 'string', default: DEFAULT_CORE },
      did: { type: 'string', default: DEFAULT_DID },
      keys: { type: 'string', default: DEFAULT_KEYS },
      pay: { type: 'string', default: DEFAULT_PAY },
      provenance: { type: 'string', default: DEFAULT_PROVENANCE },
      origin: { type: 'string', default: DEFAULT_ORIGIN },
      state: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const seed = () => seedOf(signer, values.state)
  const code = values.help ? null : await run({ ...values, operands: positionals, seed })
  if (code !== null) return code
  console.log(`${usage}\n\n${optionsOf(signer)}`)
  return values.help ? 0 : 2
}

function optionsOf(signer: Command['signer']): string {
  return `Options:
  --core URL            the core service (default ${DEFAULT_CORE})${signer === 'operator' ? OPERATOR_OPTIONS : ''}
  --state DIR           where the ${signer}'s seed is (default .state, written by scripts/start)
  --help                show this

${variableOf(signer)} in the environment, 64 hex characters, takes the place of --state.`
}

const variableOf = (signer: Command['signer']) => `${signer.toUpperCase()}_SEED`

function seedOf(signer: Command['signer'], state: string | undefined): Uint8Array {
  const variable = variableOf(signer)
  const seed = process.env[variable]
  if (seed === undefined) {
    const name: keyof DevSecrets = `${signer}Seed`
    return loadDevSecrets(state === undefined ? DEFAULT_STATE_DIR : resolveFromCaller(state))[name]
  }
  if (!/^[0-9a-f]{64}$/.test(seed)) throw new Error(`${variable} must be 64 lowercase hex characters`)
  return new Uint8Array(Buffer.from(seed, 'hex'))
}
