import type { Client, Lineage } from '#client'
import { locked, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { type Given, list, option, type Result } from '../result.ts'
import { NOBODY } from '../settings/profiles.ts'
import { keepLogs } from '../verify/known-keys.ts'
import { keepCompared } from './trust.ts'

const LOCAL = /^http:\/\/localhost(:\d+)?$/
/** `scripts/start` allows it. */
const LOCAL_ORIGIN = 'http://localhost:3000'

/** Writes the profile. What the deployment shows now is pinned: later runs refuse what contradicts it. */
export async function init(context: Context, given: Given): Promise<Result> {
  const { options, profiles } = context
  const earlier = await profiles.read(options.profile)
  const core = originOf(options.core ?? earlier?.core ?? (await askForCore(context)))
  const signer = list(given, 'signer')
  const origin = option(given, 'origin') ?? earlier?.origin ?? (LOCAL.test(core) ? LOCAL_ORIGIN : null)
  const realm = option(given, 'realm') ?? (earlier?.core === core ? earlier.realm : core)
  const isSame = earlier?.core === core
  const draft = {
    core,
    realm,
    origin,
    docs: '',
    ...(isSame
      ? { did: earlier.did, signer: earlier.signer, lineage: earlier.lineage, device: earlier.device }
      : NOBODY),
  }
  const { Client } = await import('#client')
  const connection = await context.connectionTo(draft)
  const fingerprint = option(given, 'fingerprint')
  const client = await Client.connect({ ...connection, ...(fingerprint !== undefined && { fingerprint }) })
  const { discovery } = client
  if (!discovery) throw new TypeError('A connected client has what it discovered')
  const chosen = await identityOf(context, client, option(given, 'did'), signer)
  const profile = { ...draft, realm: discovery.document.realm, docs: discovery.document.services.docs.url, ...chosen }
  if (!options.dryRun) {
    await profiles.write(options.profile, profile)
    await keepLogs(client, connection)
    if (fingerprint !== undefined) await keepCompared(connection, discovery)
  }
  const { document, trust } = discovery
  return {
    data: { profile: options.profile, ...profile, trust, keys: document.keys.length },
    text: [
      `${options.dryRun ? 'Would use' : 'Using'} ${core} as profile ${options.profile}.`,
      fingerprint !== undefined
        ? 'The keys of its signed list have the fingerprint that you passed.'
        : trust === 'first-seen'
          ? 'Trusting the keys of its signed list that it shows now. Compare the fingerprint with what the operator publishes.'
          : 'The keys of its signed list are those that were pinned before.',
      ...(discovery.fingerprint === null ? [] : [`Fingerprint ${discovery.fingerprint}`]),
      profile.did === null ? `Next: ${await context.identityStep()}` : `Identity ${profile.did}`,
    ],
  }
}

async function identityOf(context: Context, client: Client, did: string | undefined, signer: readonly string[]) {
  if (signer.length > 0) {
    const genesis = await context.identityOfSigner(signer, null)
    if (did === undefined || did === genesis.did) return { ...NOBODY, did: genesis.did, signer: [...signer] }
    return { ...NOBODY, did, signer: [...signer], lineage: await lineageOf(client, did, genesis.publicKeyB64u) }
  }
  if (did === undefined) return {}
  if (await context.keys.has(did)) return { ...NOBODY, did }
  throw usage(`The keys of ${did} are not on this machine`, 'svc id import FILE')
}

/** Where a key stands among the root keys of an identity, each proved by the one before. */
async function lineageOf(client: Client, did: string, publicKeyB64u: string): Promise<Lineage> {
  const keys = await client.keyHistory.of(did)
  const found = keys.find((key) => key.publicKeyB64u === publicKeyB64u)
  if (found) return { scope: keys[0].userId, epoch: found.epoch }
  throw locked('foreign_key', `The key of the signer was never a root key of ${did}`, `svc rotate history ${did}`)
}

async function askForCore({ environment, output }: Context): Promise<string> {
  const { isTerminal, prompts } = environment
  const typed = isTerminal
    ? await output.asking(() => prompts.text('Origin of core, such as https://core.example'))
    : null
  if (typed !== null) return typed
  throw usage('No deployment was given', 'svc init --core https://core.example')
}

function originOf(text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return url.origin
  throw usage(`"${text}" is not the address of a deployment`, 'pass an origin such as https://core.example')
}
