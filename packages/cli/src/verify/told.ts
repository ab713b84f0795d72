import type { Check, CheckName, Need, Verdict } from '@svc/client/evidence'
import { CliError, usage } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'

/** A verdict in words. */
export interface Told {
  readonly kind: Verdict['kind']
  readonly verdict: 'valid' | 'undecided'
  readonly did: string | null
  readonly checks: readonly {
    readonly check: string
    readonly result: Check['result']
    readonly detail: string
  }[]
  /** What to do to decide the rest; null if there is nothing. */
  readonly next: string | null
}

type Found = Check['found']
type Sentence = readonly [check: string, detail: (found: Found) => string]

const timeOf = (at: unknown) => new Date(Number(at)).toISOString()
const words = (text: unknown) => String(text).replaceAll('_', ' ')

const OK: Partial<Record<CheckName, Sentence>> = {
  anchor_root: ['root', ({ root }) => String(root)],
  anchored_file: ['file', () => 'is what was anchored'],
  audience: ['audience', ({ audience }) => String(audience)],
  blocks: ['blocks', ({ count }) => `${count}, each signed and linked to the one before`],
  consent: ['declared', ({ preferences }) => `${preferences}, signed by the creator`],
  devices: ['devices', ({ count }) => String(count)],
  document: ['document', () => 'resolves, with the current root key'],
  extension: ['extension', ({ sizes }) => String(sizes)],
  form: ['form', () => 'a DID of this platform'],
  hash: ['SHA3-384', ({ hash }) => String(hash)],
  head: ['head', ({ hash }) => String(hash)],
  in_log: ['in the log', ({ log, size, at }) => `${log}, of ${size} entries at ${timeOf(at)}`],
  minter: ['minted by', ({ did }) => String(did)],
  opening: ['opening', () => 'the content and the salt make this commitment'],
  owner: ['owner', ({ did }) => String(did)],
  recovery: ['recovery', () => 'in it'],
  root_key: ['root key', ({ epoch }) => `epoch ${epoch}`],
  root_keys: ['root keys', ({ count }) => `${count}, each proved by the one before`],
  same_root: ['state', ({ size }) => `the same ${size} entries, with the same root`],
  signatures: ['signatures', ({ count, log }) => `${count}, by the key of ${log ?? 'its log'}`],
  signed: ['signed', ({ at }) => `${timeOf(at)}, by the clock of the signer`],
  statement: ['statement', ({ type }) => String(type)],
  transfers: ['transfers', ({ count }) => `${count}, each signed by the owner before`],
}
const UNCHECKED: Partial<Record<CheckName, Sentence>> = {
  anchor_status: ['status', ({ status }) => `${status}, as the service says`],
  capsule_key: ['key', () => 'not the first root key'],
  commitment: ['made', ({ at }) => `${timeOf(at)}, by this DID, as the service says`],
  consent: ['declared', ({ preferences }) => `${preferences ?? 'not asked for'}, without a signature`],
  consent_device: ['signer', () => 'a device, as the service says'],
  device_key: ['key', () => 'no root key of the DID; whether a device of it signed, only the service knows'],
  document: ['document', ({ error }) => `does not resolve: ${error || 'no document'}`],
  extension: ['extension', ({ sizes }) => `${sizes}: only the log can prove that it kept all of it`],
  log_key: ['log', () => 'whose key it has is not known'],
  message_key: ['key', () => 'not the first root key'],
  one_checkpoint: ['extension', () => 'nothing to compare it with: add another checkpoint of the log'],
  one_log: ['extension', () => 'they are of different logs'],
  newest_key: ['newest', () => 'whether a later key replaced the last one, a file cannot say'],
  opening: ['opening', () => 'the content and the salt were not compared'],
  owner: ['owner', () => 'as the first block says; pass --did to expect one'],
  recovery: ['recovery', () => 'not in it'],
  registration: ['registration', () => 'none is known here'],
  replaced_key: ['root keys', () => 'a root key was replaced'],
  root_key: ['root key', () => 'not in it'],
  root_keys: ['keys', () => 'not asked for'],
  sealed: ['encrypted', ({ as, did, count }) => sealedAs(String(as), String(did ?? ''), Number(count ?? 0))],
  service_key: ['key', () => 'the keys of the services are not known'],
  stamp: ['proof', () => 'not in it yet'],
}

const NEXT: Record<Exclude<Need, 'did' | 'realm' | 'file'>, string> = {
  key_history: 'verify it once without --offline and with --evidence FILE: a replaced root key needs its history',
  log_key: 'run it without --offline, or pass the file of an earlier --evidence, or --log-key from another source',
  owner: 'only the person who has the key can open it; nothing in it can be verified without that key',
  network: 'run it without --offline, or pass a proof with this file as --file',
  service_key: 'run it without --offline, or with --evidence',
  upgrade: 'svc anchor upgrade',
}

function sealedAs(as: string, did: string, count: number): string {
  switch (as) {
    case 'age':
      return 'a file of age, such as a backup of keys: svc id import opens it with --age-identity'
    case 'inbox':
      return `${count} messages to ${did}`
    case 'message':
      return `a message to ${did} that waits for a code: svc inbox deliver`
    case 'reply':
      return 'a reply to the sender of a message'
    default:
      return 'a secret, with a key from sign-in'
  }
}

/** Throws where something must be typed for it, and where nothing is registered. */
export function told({ kind, verdict, did, checks, needs, subject }: Verdict): Told {
  if (needs === 'did') throw usage('This needs the DID that it must be of', 'pass --did')
  if (needs === 'realm') throw usage('This needs the deployment that it must be for', 'pass --realm')
  if (needs === 'file') throw usage('This is about a file, which is not here', 'pass the file with --file')
  if (verdict === 'unknown') throw unknown(kind, subject ?? '')
  const next = needs === null ? null : NEXT[needs]
  return { kind, verdict, did, checks: checks.map(inWords), next }
}

function inWords({ check, result, found }: Check): Told['checks'][number] {
  const { part, strength, gap } = found
  if (check === 'gap') return { check: 'not proved', result, detail: words(gap) }
  if (check === 'proof') {
    return { check: words(part), result, detail: result === 'ok' ? 'verified here' : `on the word of: ${strength}` }
  }
  const [name, detail] = (result === 'ok' ? OK : UNCHECKED)[check] ?? [words(check), () => '']
  return { check: name, result, detail: detail(found) }
}

function unknown(kind: Verdict['kind'], subject: string): CliError {
  const nothing =
    kind === 'page' ? `Nothing is declared for ${subject}` : `Nothing is registered or anchored under ${subject}`
  const next: Partial<Record<Verdict['kind'], string>> = {
    anchor: 'check the id',
    content: 'check that the file is the original, byte for byte',
    page: 'check the address, character by character',
  }
  return new CliError({
    exitCode: EXIT.pending,
    code: 'unknown',
    message: nothing,
    next: next[kind] ?? 'check the hash',
    page: '/developer/verify-offline',
  })
}
