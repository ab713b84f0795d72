import type { Check, CheckName } from '#client/evidence'

type Found = Check['found']
type Sentence = readonly [check: string, detail: (found: Found) => string]

const timeOf = (at: unknown) => new Date(Number(at)).toISOString()

const OK: Partial<Record<CheckName, Sentence>> = {
  act: ['signed as', ({ type }) => `${type}, by a root key of the DID`],
  activation: ['rotations', () => 'all took effect: they are in the log of the key directory'],
  anchor_root: ['root', ({ root }) => String(root)],
  anchored_by: [
    'anchored by',
    ({ did, at }) => `${did}, accepted at ${timeOf(at)} as the log says: known then, not made`,
  ],
  anchored_file: ['file', () => 'is what was anchored'],
  archive: ['archive', ({ size }) => `all ${size} entries of the log of the vault`],
  audience: ['audience', ({ audience }) => String(audience)],
  beacon_leaf: ['date', ({ at }) => `its newest leaf is of ${timeOf(at)}, and in the tree`],
  beacon: ['beacon', ({ log, size, count }) => `${log} with ${size} leaves, signed by ${count} of its keys`],
  blocks: ['blocks', ({ count }) => `${count}, each signed and linked to the one before`],
  consent: ['declared', ({ preferences }) => `${preferences}, signed by the creator`],
  cosigned: ['since', ({ at, count }) => `${timeOf(at)}, cosigned by ${count} of the witnesses that you demand`],
  devices: ['devices', ({ count }) => String(count)],
  document: ['document', () => 'resolves, with the current root key'],
  extension: ['extension', ({ sizes }) => String(sizes)],
  form: ['form', () => 'a DID of this platform'],
  hash: ['SHA3-384', ({ hash }) => String(hash)],
  head: ['head', ({ hash }) => String(hash)],
  in_log: ['in the log', ({ log, size, at }) => `${log}, of ${size} entries at ${timeOf(at)}`],
  manifest: ['signed', ({ at }) => `${timeOf(at)}, by the service`],
  minter: ['minted by', ({ did }) => String(did)],
  new_key: ['new key', ({ epoch }) => `of epoch ${epoch}, which signed it too`],
  opening: ['opening', () => 'the content and the salt make this commitment'],
  owner: ['owner', ({ did }) => String(did)],
  records: [
    'notes',
    ({ versions, attachments }) => `${versions} versions, signed by keys of the DID; ${attachments} attachments`,
  ],
  recovery: ['recovery', () => 'in it'],
  root_key: ['root key', ({ epoch }) => `epoch ${epoch}`],
  root_keys: ['root keys', ({ count }) => `${count}, each proved by the one before`],
  same_hash: ['hash', () => 'is the one that it is about'],
  same_root: ['state', ({ size }) => `the same ${size} entries, with the same root`],
  signer: ['signer', ({ signer }) => SIGNERS[String(signer)] ?? String(signer)],
  signatures: ['signatures', ({ count, log }) => `${count}, by the key of ${log ?? 'its log'}`],
  signed_content: [
    'content',
    ({ as }) => (as === 'file' ? 'the file is what was signed' : 'the text in it is what was signed'),
  ],
  signed: ['signed', ({ at }) => `${timeOf(at)}, by the clock of the signer`],
  statement: ['statement', ({ type }) => String(type)],
  transfers: ['transfers', ({ count }) => `${count}, each signed by the owner before`],
}
const SIGNERS: Readonly<Record<string, string>> = {
  active: 'active: it can sign today',
  revoked: 'revoked since: what follows this is from before',
  superseded: 'superseded since: what follows this is from before',
}
const DRAFTS: Readonly<Record<string, string>> = {
  answers: 'public answers that svc verify kept: pass it as --evidence, with what it was made for',
  invitation: 'an invitation to an organization, which nobody signed yet: svc org accept',
  officers: 'a list of officers, which nobody signed yet: svc org accept',
  policy: 'a proposed policy, which nobody signed yet: svc governance sign',
  policy_signature: 'a signature of a proposed policy, which is another file: svc governance publish',
}
const UNCHECKED: Partial<Record<CheckName, Sentence>> = {
  act: ['signed as', ({ type }) => String(type)],
  act_key: ['key', () => 'not the first root key'],
  anchor_status: ['status', ({ status }) => `${status}, as the service says`],
  approval: ['approval', ({ did }) => `by ${did}, of a list of officers that is not here`],
  archive: ['archive', () => 'not compared'],
  capsule_key: ['key', () => 'not the first root key'],
  commitment: ['made', ({ at }) => `${timeOf(at)}, by this DID, as the service says`],
  consent: ['declared', ({ preferences }) => `${preferences ?? 'not asked for'}, without a signature`],
  consent_device: ['signer', () => 'a device, as the service says'],
  cosigned: ['since', ({ at, count }) => `${timeOf(at)}, which is the log’s own word: ${uncosigned(Number(count))}`],
  device_key: ['key', () => 'no root key of the DID; whether a device of it signed, only the service knows'],
  document: ['document', ({ error }) => `does not resolve: ${error || 'no document'}`],
  draft: ['part', ({ as }) => DRAFTS[String(as)] ?? String(as)],
  file: ['file', () => 'not compared; pass it with --file'],
  hash: ['file', () => 'what was signed is not here'],
  other_file: ['file', () => 'the one of --file was compared with nothing: this is not about a file'],
  extension: ['extension', ({ sizes }) => `${sizes}: only the log can prove that it kept all of it`],
  former: ['form', () => 'the first one of bundles, which proves nothing before it is upgraded'],
  log_key: ['log', () => 'whose key it has is not known'],
  message_key: ['key', () => 'not the first root key'],
  beacon_date: [
    'date',
    () =>
      'the key that signed has an end, and nothing here says when it signed: keep what svc directory beacon --out writes',
  ],
  one_checkpoint: ['extension', () => 'nothing to compare it with: add another checkpoint of the log'],
  one_log: ['extension', () => 'they are of different logs'],
  activation: ['rotations', () => 'only the service says that each took effect'],
  more_anchors: ['anchored by', ({ count }) => `more than these ${count}`],
  newest_key: ['newest', () => 'whether a later key replaced the last one, a file cannot say'],
  opening: ['opening', () => 'the content and the salt were not compared'],
  order: ['order', () => 'unknown: only who sees the log of its devices can tell what came first'],
  owner: ['owner', () => 'as the first block says; pass --did to expect one'],
  record_keys: ['notes', ({ count }) => `who signed ${count} versions is not known here`],
  recovery: ['recovery', () => 'not in it'],
  public_record: ['public record', () => 'none; a proof may exist'],
  registration: ['registration', () => 'none is known here'],
  replaced_key: ['root keys', () => 'a root key was replaced'],
  root_key: ['root key', () => 'not in it'],
  root_keys: ['keys', () => 'not asked for'],
  sealed: ['encrypted', ({ as, did, count }) => sealedAs(String(as), String(did ?? ''), Number(count ?? 0))],
  service_key: ['key', () => 'the keys of the services are not known'],
  stamp: ['proof', () => 'not in it yet'],
}

/** What a check is called, and what is told of it. */
export const SENTENCES = { ok: OK, unchecked: UNCHECKED } as const

function uncosigned(count: number): string {
  if (count === 0) return 'no witness has cosigned it'
  const many = count === 1 ? 'one witness has' : `${count} witnesses have`
  return `${many} cosigned it, and not as many as you demand with svc trust`
}

function sealedAs(as: string, did: string, count: number): string {
  switch (as) {
    case 'age':
      return 'a file of age, such as a backup of keys: svc id import opens it with --age-identity'
    case 'inbox':
      return `${count} messages to ${did}`
    case 'message':
      return `a message to ${did} that waits for a code: svc inbox deliver`
    case 'notes':
      return 'the text of the notes, for their owner: svc note restore'
    case 'reply':
      return 'a reply to the sender of a message'
    default:
      return 'a secret, with a key from sign-in'
  }
}
