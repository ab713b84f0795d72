type Found = Readonly<Record<string, string | number>>
type Said = (found: Found, at: string) => string

const ok: Record<string, Said> = {
  activation: () => 'Each rotation took effect: it is in the log of the key directory.',
  anchor_root: ({ root }) => `The entry commits to ${root}.`,
  anchored_file: () => 'The content that you gave is what was anchored.',
  blocks: ({ count }) =>
    count === 1 ? 'One block, signed.' : `${count} blocks, each signed and linked to the one before.`,
  cosigned: ({ count }, at) =>
    count === 1
      ? `One of the witnesses that the deployment proposes had seen it by ${at}.`
      : `${count} of the witnesses that the deployment proposes had seen it by ${at}.`,
  document: () => 'The DID document resolves to the current root key.',
  extension: ({ sizes }) => `Each checkpoint contains everything before it: ${sizes} entries.`,
  form: () => 'It has the form of a DID of this platform.',
  hash: ({ hash }) => `SHA3-384 of the content: ${hash}.`,
  head: ({ hash }) => `The newest block has the hash ${hash}.`,
  in_log: ({ log, size }, at) => `It was in the log ${log} by ${at}, when the log had ${size} entries.`,
  owner: ({ did }) => `It belongs to the identity that you expect: ${did}.`,
  proof: ({ part }) => PARTS[String(part)] ?? `${part}, checked here.`,
  root_keys: ({ count }) =>
    count === 1 ? 'One root key, from which the DID is made.' : `${count} root keys, each proved by the one before.`,
  signatures: ({ count }) =>
    count === 1 ? 'One checkpoint, signed by its log.' : `${count} checkpoints, each signed by its log.`,
  same_hash: () => 'The hash is the one that this evidence is about.',
  signed_content: () => 'The content is what was signed.',
  signed: (_, at) => `Signed at ${at}, by the clock of the signer.`,
}

const PARTS: Record<string, string> = {
  capsule_signature: 'The signature fits the capsule and its key.',
  capsule_hash: 'The hash of the capsule is right.',
  content_hash: 'The content is the one that was registered, byte for byte.',
  key_of_did: 'The key belongs to the identity.',
  chain_block: 'A signed block of the identity’s chain contains it.',
  registration: 'The registration.',
  key_status: 'The state of the key.',
  media_facts: 'Type and size of the content.',
}

const GAPS: Record<string, string> = {
  no_ledger_anchor: 'No log proves by when it was registered.',
  no_trusted_time: 'The time is that of the signer’s clock.',
  content_not_seen: 'The service has not seen the content.',
  no_chain_binding: 'No block of the identity’s chain contains it.',
  key_by_authority: 'That the key belongs to the identity is what the service says.',
  key_not_current: 'The key has been replaced since.',
  key_status_unavailable: 'Whether the key was in force is not known.',
  competing_claims: 'Others have registered the same content.',
  earlier_claim: 'Somebody else registered the same content earlier.',
}

const unchecked: Record<string, Said> = {
  anchor_status: ({ status }) => `That its status is “${status}” is what the service says.`,
  cosigned: ({ count }, at) =>
    `That it is from ${at} is the log’s own word. ${
      count === 0
        ? 'No witness has cosigned it.'
        : 'Witnesses have cosigned it, and fewer than needed that the deployment proposes.'
    }`,
  document: () => 'No DID document was found.',
  extension: ({ sizes }) => `Whether the log kept all entries (${sizes}), only the log can prove. It was not asked.`,
  file: () => 'The content that it is about was not compared. Choose it under Options.',
  other_file: () => 'The content that you gave was compared with nothing: this evidence is not about a file.',
  former: () => 'It has the first form of bundles, which proves nothing before it is upgraded.',
  gap: ({ gap }) => GAPS[String(gap)] ?? String(gap).replaceAll('_', ' '),
  hash: () => 'The content that was signed is not here.',
  in_log: () => 'Whether it is in a log was not checked.',
  log_key: () => 'The key of the log is not known here.',
  owner: () => 'Whose it is, only the evidence itself says. Enter the DID that you expect, to check it.',
  proof: ({ part, strength }) =>
    `${(PARTS[String(part)] ?? String(part)).replace(/\.$/, '')}: on the word of ${SOURCES[String(strength)] ?? strength}.`,
  registration: () => 'No registration was found, or none was asked for.',
  replaced_key: () => 'A root key was replaced. The history of the keys is needed.',
  root_keys: () => 'The root keys were not asked for.',
}
const SOURCES: Record<string, string> = {
  authority: 'core',
  service: 'the service',
  claim: 'the signer',
  cryptographic: 'a signature',
}

export const words = {
  locked: {
    lead: 'This is an encrypted export of keys. It is opened in this browser only; nothing is kept.',
    passphrase: 'Passphrase of the export',
    open: 'Open',
  },
  verdicts: {
    valid: 'Valid',
    undecided: 'Undecided',
    unknown: 'Nothing known',
    invalid: 'Invalid',
    failed: 'Not checked',
  },
  summaries: {
    valid: 'What you hold was compared, and everything that this kind of evidence can prove was proved here.',
    undecided: 'Nothing speaks against it. Something that would decide it is missing.',
    unknown: 'There is no public record of it. A proof may exist: ask its owner for it.',
    invalid: 'Do not rely on it. Ask for another copy.',
    failed: 'The check could not be made.',
  },
  kinds: {
    did: 'identity',
    hash: 'hash',
    page: 'page',
    chain: 'chain',
    keys: 'key history',
    anchor: 'anchor',
    stamp: 'pending anchor',
    proof: 'registration',
    capsule: 'capsule',
    commitment: 'commitment',
    asset: 'asset',
    message: 'message',
    checkpoints: 'checkpoints',
    receipt: 'receipt',
    export: 'export of keys',
    notes: 'export of notes',
    sealed: 'encrypted file',
    statement: 'signed statement',
    draft: 'part of an act',
    beacon: 'beacon',
    content: 'content',
  },
  needs: {
    did: 'Enter the DID that it must be of, under Options.',
    realm: 'The deployment that it must be for is not known. Connect to the network and check again.',
    file: 'Choose the content that it is about, under Options.',
    network: 'Allow the check to ask the services.',
    key_history: 'Allow the check to ask the services for the history of the keys.',
    log_key: 'Allow the check to ask the services, or enter the key of the log, under Options.',
    service_key: 'Allow the check to ask the services for their keys.',
    owner: 'Only the person who has the key can open it. Nothing in it can be checked without that key.',
    whole: 'Use it where it belongs. What is made of it can be checked.',
    upgrade: 'Complete it with svc anchor upgrade, then check the result.',
    no_file: 'Remove the content under Options: this evidence is not about a file.',
  },
  who: 'Who',
  what: 'What',
  when: 'Since when',
  where: 'Which log',
  nobody: 'Nobody named',
  noSubject: 'Not a single content',
  noTime: 'No time proved',
  byClock: (at: string) => `${at}, by the signer’s clock`,
  byLog: (at: string) => `${at} at the latest`,
  byWitnesses: (at: string) => `${at} at the latest, as witnesses say`,
  byLogAlone: (at: string) => `${at}, as only the log says`,
  noLog: 'No log',
  checks: 'What was checked',
  notProved: 'What is not proved',
  notCompared: 'the content was not compared',
  allProved: 'Nothing is left open.',
  reason: (reason: string, subject: string) => `Reason: ${reason} (${subject})`,
  fingerprint: (fingerprint: string) =>
    `Keys of the deployment were taken from the list whose signers have the fingerprint ${fingerprint}. Compare it with what the operator publishes elsewhere.`,
  malformed: (kind: string) => `This looks like evidence of the kind “${kind}”, and does not have its form.`,
  raw: 'What was checked, as it is',
  identity: 'Open the identity',
  print: 'Print',
  link: 'Copy a link',
  linkCopied: 'The link was copied. It contains the evidence itself.',
  tooBig: 'It is too large for a link.',
  command: 'The same on the command line',
  again: 'Check something else',
  said(check: string, isOk: boolean, found: Found, at: string): string | undefined {
    return (isOk ? ok : unchecked)[check]?.(found, at)
  },
}
export type VerdictWords = typeof words
