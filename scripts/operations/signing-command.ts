import { type DevSecrets, loadDevSecrets } from '@svc/platform/dev-secrets'
import { runEntry } from '@svc/platform/entry'
import { readSeed, seedFileOf } from '@svc/platform/seed-file'
import { DEFAULT_PORT_BASE, DEFAULT_STATE_DIR, portOf, resolveFromCaller } from '@svc/platform/workspace'

/** What a command that signs for a deployment works with. */
export interface Signing {
  readonly core: string
  readonly consent: string
  readonly did: string
  readonly keys: string
  readonly pay: string
  readonly provenance: string
  /** The deployment that everything is signed for. */
  readonly realm: string
  /** Sent to services that require an Origin from programs too. */
  readonly origin: string
  readonly operands: readonly string[]
  /** A file with a signed rotation request, for an approval. */
  readonly request: string | undefined
  /** The userId of the new key, or its beginning, as the owner told the operator. */
  readonly newKey: string | undefined
  /** Whether a declined person is told by mail. */
  readonly mail: boolean
  /** Reads the seed when it is needed, so that a wrong command line asks for no secret. */
  readonly seed: () => Uint8Array
}

interface Command {
  /** As typed: `scripts/admin`. */
  readonly name: string
  readonly usage: string
  /** Whose key signs: that of `--seed`, or the one in the state folder. */
  readonly signer: 'operator' | 'publisher'
  /** Resolves to the exit status. */
  readonly run: (signing: Signing) => Promise<number>
}

const DEFAULT_CORE = `http://localhost:${portOf('core', DEFAULT_PORT_BASE)}`
const DEFAULT_CONSENT = `http://localhost:${portOf('consent', DEFAULT_PORT_BASE)}`
const DEFAULT_DID = `http://localhost:${portOf('did', DEFAULT_PORT_BASE)}`
const DEFAULT_KEYS = `http://localhost:${portOf('keys', DEFAULT_PORT_BASE)}`
const DEFAULT_PAY = `http://localhost:${portOf('pay', DEFAULT_PORT_BASE)}`
const DEFAULT_PROVENANCE = `http://localhost:${portOf('provenance', DEFAULT_PORT_BASE)}`
/** On the allowlists of a local deployment. */
const DEFAULT_ORIGIN = 'http://localhost:3000'

const OPERATOR_OPTIONS = `
  --did URL             the DID service, whose answers about a rotation are compared (default ${DEFAULT_DID})
  --keys URL            the key directory (default ${DEFAULT_KEYS})
  --origin ORIGIN       sent to the key directory and the DID service, which require an allowlisted one (default ${DEFAULT_ORIGIN})
  --pay URL             the payments service (default ${DEFAULT_PAY})
  --provenance URL      the provenance service (default ${DEFAULT_PROVENANCE})
  --consent URL         the consent service (default ${DEFAULT_CONSENT})
  --request FILE        the signed request to approve, if core does not show it
  --new-key USERID      the new key's userId, or its first 16 characters or more, from the owner (asked if absent)
  --mail                with invites decline: tell the person by mail`

/** Reads the options that these commands share, and runs the command. */
export async function signingCommand({ name, usage, signer, run }: Command): Promise<void> {
  await runEntry({
    name,
    help: `${usage}\n\n${optionsOf(signer)}`,
    operands: true,
    options: {
      core: { type: 'string', default: DEFAULT_CORE },
      consent: { type: 'string', default: DEFAULT_CONSENT },
      did: { type: 'string', default: DEFAULT_DID },
      keys: { type: 'string', default: DEFAULT_KEYS },
      pay: { type: 'string', default: DEFAULT_PAY },
      provenance: { type: 'string', default: DEFAULT_PROVENANCE },
      origin: { type: 'string', default: DEFAULT_ORIGIN },
      realm: { type: 'string' },
      state: { type: 'string' },
      seed: { type: 'string' },
      request: { type: 'string' },
      'new-key': { type: 'string' },
      mail: { type: 'boolean', default: false },
    },
    run: ({ values, positionals }) =>
      run({
        ...values,
        realm: values.realm ?? new URL(values.core).origin,
        request: values.request,
        newKey: values['new-key'],
        operands: positionals,
        seed: () => seedOf(signer, values),
      }),
  })
}

function optionsOf(signer: Command['signer']): string {
  return `Options:
  --core URL            the core service (default ${DEFAULT_CORE})${signer === 'operator' ? OPERATOR_OPTIONS : ''}
  --realm REALM         the realm to sign for (default: the origin of --core)
  --seed FILE           the ${signer}'s seed: a file with 64 hex characters that only you can read, or a pipe
                        (default: the file that the environment variable ${variableOf(signer)} names)
  --state DIR           without one, the folder with the seed of a local deployment (default .state, written by
                        scripts/start)
  --help                show this`
}

const variableOf = (signer: Command['signer']) => `${signer.toUpperCase()}_SEED_FILE` as const

function seedOf(
  signer: Command['signer'],
  { seed, state }: { readonly seed?: string | undefined; readonly state?: string | undefined },
): Uint8Array {
  const file = seedFileOf(seed, variableOf(signer))
  if (file !== undefined) return readSeed(file)
  const name: keyof DevSecrets = `${signer}Seed`
  return loadDevSecrets(state === undefined ? DEFAULT_STATE_DIR : resolveFromCaller(state))[name]
}
