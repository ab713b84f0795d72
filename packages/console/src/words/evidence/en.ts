type Found = Readonly<Record<string, string | number>>
type Said = (found: Found, at: string) => string

const ok: Record<string, Said> = {
  anchored_by: ({ did }, at) =>
    `Anchored by ${did}, accepted at ${at} as the log says. An anchor shows who knew it then, not who made it.`,
  act: ({ type }) => `A root key of this identity signed it as ${type}.`,
  archive: ({ size }) => `The export has all ${size} entries of the log of the vault.`,
  audience: ({ audience }) => `It is addressed to ${audience}.`,
  beacon_leaf: (_, at) => `Its newest leaf, of ${at}, is in the tree.`,
  beacon: ({ log, size, count }) => `${count} keys signed the beacon ${log} with ${size} leaves.`,
  consent: ({ preferences }) => `The creator signed: ${preferences}.`,
  devices: ({ count }) => `Devices in it: ${count}.`,
  manifest: (_, at) => `The service signed this state of the vault at ${at}.`,
  minter: ({ did }) => `Minted and signed by ${did}.`,
  new_key: ({ epoch }) => `The new key, of epoch ${epoch}, signed it too.`,
  opening: () => 'The content and the salt make this commitment.',
  records: ({ versions, attachments }) =>
    `Versions of notes, each signed by a key of this identity: ${versions}. Attachments: ${attachments}.`,
  recovery: () => 'It contains a prepared recovery.',
  root_key: ({ epoch }) => `It contains the root key of epoch ${epoch}.`,
  same_root: ({ size }) => `They show the same ${size} entries, with the same root.`,
  signer: ({ signer }) => SIGNERS[String(signer)] ?? String(signer),
  statement: ({ type }) => `A service signed it as ${type}.`,
  transfers: ({ count }) =>
    count === 0 ? 'It was never transferred.' : `Transfers, each signed by the owner before: ${count}.`,
}

const unchecked: Record<string, Said> = {
  more_anchors: ({ count }) => `More than these ${count} have anchored it.`,
  public_record: () => 'No public record. A proof may exist.',
  act: ({ type }) => `Who signed it as ${type} was not checked.`,
  act_key: () => 'The key that signed it is not the first of this identity.',
  approval: ({ did }) => `${did} approves a list of officers that is not here.`,
  archive: () => 'Whether the export has all entries was not checked.',
  audience: ({ audience }) => `It is addressed to ${audience}.`,
  capsule_key: () => 'The key is not the first of this identity.',
  commitment: (_, at) => `That this identity made it, and on ${at}, is what the service says.`,
  consent: ({ preferences }) =>
    preferences === undefined
      ? 'Nothing is declared for this address.'
      : `Declared without a signature: ${preferences}.`,
  consent_device: () => 'A device signed. That it acted for the creator is what the service says.',
  device_key: () => 'No root key of this identity signed. A device of it may have; that, only the service can say.',
  draft: ({ as }) => DRAFTS[String(as)] ?? String(as),
  message_key: () => 'The key is not the first of this identity.',
  beacon_date: () =>
    'The key that signed has an end, and nothing here says when it signed. Keep what svc directory beacon --out writes.',
  one_checkpoint: () => 'There is no other checkpoint to compare it with.',
  one_log: () => 'They are of different logs, and were not compared.',
  activation: () => 'Only the service says that each rotation took effect.',
  newest_key: () => 'Whether the last key was replaced later cannot be seen from a file.',
  opening: () => 'Whether the content and the salt make this commitment was not checked.',
  order: () => 'What came first, only those can tell who see the log of devices of this identity.',
  record_keys: ({ count }) => `Who signed ${count} versions of notes is not known here.`,
  recovery: () => 'It contains no recovery.',
  root_key: () => 'It contains no root key.',
  sealed: ({ as, did, count }) => SEALED[String(as)]?.(String(did), Number(count)) ?? String(as),
  service_key: () => 'The keys of the services are not known here.',
  stamp: () => 'It does not contain the proof yet.',
}

const SIGNERS: Record<string, string> = {
  active: 'The key that signed it can sign today.',
  revoked: 'The device that signed it was revoked since. Something from before follows it.',
  superseded: 'The key that signed it was replaced since. Something from before follows it.',
}

const DRAFTS: Record<string, string> = {
  answers: 'Public answers that svc verify kept, to verify something else without a network.',
  invitation: 'An invitation to an organization. Nobody has signed it.',
  officers: 'A list of officers. Nobody has signed it.',
  policy: 'A proposed policy. Nobody has signed it.',
  policy_signature: 'A signature of a proposed policy, which is another file.',
}

const SEALED: Record<string, (did: string, count: number) => string> = {
  age: () => 'A file that age encrypted, such as a backup of keys.',
  inbox: (did, count) => `Encrypted messages to ${did}: ${count}.`,
  message: (did) => `An encrypted message to ${did} that was not delivered yet.`,
  notes: () => 'The text of the notes is encrypted; only their owner can read it.',
  reply: () => 'An encrypted reply to the sender of a message.',
  secret: () => 'A secret that was encrypted with a key from sign-in.',
}

/** What is said of rarer kinds of evidence. */
export const words = {
  said(check: string, isOk: boolean, found: Found, at: string): string | undefined {
    return (isOk ? ok : unchecked)[check]?.(found, at)
  },
}
export type EvidenceWords = typeof words
