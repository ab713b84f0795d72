import * as z from 'zod'
import { SIGNER_STATES } from '#client/evidence'
import {
  api,
  assetId,
  bytes,
  count,
  deviceId,
  did,
  file,
  hash,
  list,
  maybe,
  noteId,
  readBytes,
  text,
  time,
  verdict,
  version,
  written,
} from './members.ts'

const attachmentId = text('id of the attachment')
const org = text('DID of the organization')
const officers = list(z.string(), 'DIDs of the officers')
const quorum = count('how many of them a change needs')
const rosterVersion = count('number of the list, from 1')
const memberDid = text('DID of the member')
const event = text('what was signed, such as `bind` or `revoke`')
const appended = { memberDid, event, sequence: count('number of the event'), hash }
const unread = count('notes that were not encrypted for the keys here')
const noteEntry = z.strictObject({
  noteId,
  status: z.enum(['stored', 'tombstoned']),
  version,
  seq: z.int(),
  recordHash: hash.nullable(),
  bytes: z.int(),
  attachments: z.int(),
  createdAt: z.number(),
  updatedAt: z.number(),
  title: maybe(text('its title'), 'if it was deleted, or does not open here'),
})
const message = {
  owner: text('DID of the owner, whose key it is encrypted to'),
  ownerIs: z.enum(['pinned', 'claimed']).describe('`claimed` if only the service says who the owner is'),
  keyIs: z
    .enum(['proved', 'claimed'])
    .describe('`claimed` if the log does not prove, or not yet, that this is the owner’s newest key'),
  pending: maybe(file('where it waits'), 'once it is delivered'),
  requestId: text('id of the request'),
  deliveredAt: maybe(time('when it was delivered'), 'while it waits'),
}

/** Results of what an identity keeps and publishes, by command. */
export const RECORD_RESULTS: Readonly<Record<string, z.ZodObject>> = {
  'note write': z.strictObject({
    noteId,
    version,
    recordHash: hash,
    isConcurrent: z.boolean().describe('whether somebody else wrote at the same time'),
  }),
  'note list': z.strictObject({
    notes: list(noteEntry, 'the notes by their newest change: the `NoteEntry` of core, with the `title`'),
  }),
  'note find': z.strictObject({
    notes: list(
      z.strictObject({ noteId: z.string(), title: z.string(), excerpt: z.string() }),
      'each with `noteId`, `title` and `excerpt`, a part of its text',
    ),
    unread,
  }),
  'note read': z.strictObject({
    noteId,
    version,
    title: text('its title'),
    body: text('its text'),
    tags: list(z.string(), 'its tags'),
    attachments: list(
      z.looseObject({ attachmentId, name: z.string(), type: z.string(), bytes }),
      'its files, with `name`, `type` and `bytes`; the key of each is secret',
    ),
    acceptedAt: time('when the service accepted this version'),
    signer: z.enum(SIGNER_STATES).describe('what the key that signed it is today'),
    order: z
      .enum(['inception', 'memory', 'log', 'unknown'])
      .describe(
        'the proof that it was signed before its key ended: the events that it names, an earlier read, or the time at which the vault accepted it',
      ),
  }),
  'note history': z.strictObject({
    noteId,
    versions: list(api('core', 'NoteVersionSummary', 'one version'), 'the versions, ascending'),
  }),
  'note attach': z.strictObject({ noteId, version, attachmentId, name: text('its name'), bytes }),
  'note file': z.strictObject({
    noteId,
    attachmentId,
    name: text('its name'),
    type: text('its media type'),
    ...readBytes,
  }),
  'note share': z.strictObject({
    shared: list(noteId, 'ids of the notes that were written again'),
    present: count('notes that every device could open before'),
    unread,
  }),
  'note delete': z.strictObject({
    noteId,
    versions: count('how many were erased'),
    attachments: count('how many were erased'),
    receipt: file('the receipt that the service signed'),
  }),
  'note sync': z.strictObject({
    folder: text('the folder'),
    pulled: count('files that were written'),
    pushed: count('versions that were sent'),
    removed: count('files that were removed'),
    concurrent: list(z.string(), 'files that were changed on both sides'),
    leftAlone: list(z.string(), 'files that are not texts in UTF-8 or UTF-16, and were not sent'),
  }),
  'note export': z.strictObject({
    file: file(),
    entries: count('entries of the log of the notes'),
    attachments: count('attachments in the file'),
  }),
  'note restore': z.strictObject({
    restored: count('versions that were sent'),
    present: count('versions that were there'),
    merged: list(z.string(), 'notes that were changed on both sides'),
  }),
  'note check': z.strictObject({
    differences: count('references that the store counts otherwise than the log'),
    waiting: z
      .strictObject({ objects: z.int(), bytes: z.int() })
      .describe('what will be deleted a day after its last reference: `objects` and `bytes`'),
  }),
  'inbox send': z.strictObject({
    ...message,
    replyKey: maybe(file('what opens the reply, encrypted with a passphrase'), 'without `--reply-key`'),
  }),
  'inbox deliver': z.strictObject(message),
  'inbox open': z.strictObject({
    owner: text('DID of the owner, who signed it'),
    requestId: text('id of the request that it answers'),
    assetId,
    text: text('the reply'),
    issuedAt: time('when, by the clock of the owner'),
  }),
  'inbox list': z.strictObject({
    messages: list(
      z.strictObject({ msgId: z.string(), receivedAt: z.int(), readAt: z.int().nullable() }),
      'each with `msgId`, `receivedAt` and `readAt`, newest first',
    ),
  }),
  'inbox read': z.strictObject({
    name: text('of the sender'),
    email: text('of the sender, to reply to'),
    subject: text('its subject'),
    message: text('its text'),
    assetId,
    sentAt: maybe(time('when, by the clock of the sender'), 'if not told'),
    sealedWith: z
      .enum(['x-wing', 'ml-kem-768'])
      .describe('what it was encrypted with: `ml-kem-768` alone is by a client that does not know X25519'),
    takesReply: z.boolean().describe('whether `svc inbox reply` can seal a reply'),
  }),
  'inbox reply': z.strictObject({
    to: text('the address in the message'),
    requestId: text('id of the request that it answers'),
    ...written,
  }),
  'inbox delete': z.strictObject({ msgId: text('id of the message') }),
  'inbox export': z.strictObject({ messages: count('how many messages'), ...written }),
  'org propose': z.strictObject({ file: file(), officers, quorum, version: rosterVersion }),
  'org accept': z.strictObject({ file: file(), org, as: z.enum(['officer', 'member']).describe('what you are there') }),
  'org create': z.strictObject({ org, version: rosterVersion, officers, quorum }),
  'org officers': z.strictObject({ org, version: rosterVersion, officers, quorum, since: time('since when') }),
  'org bind': z.strictObject({
    ...appended,
    status: text('`pending` until the member accepts, then `active`'),
    invitation: maybe(file('the invitation'), 'if the member has accepted'),
  }),
  'org suspend': z.strictObject(appended),
  'org resume': z.strictObject(appended),
  'org revoke': z.strictObject(appended),
  'org members': z.strictObject({
    org,
    sequence: count('number of the newest event'),
    members: list(
      z.strictObject({
        memberDid,
        status: z.string(),
        role: z.string(),
        permissions: z.array(z.string()),
        provider: z.string(),
        expiresAt: z.int().nullable(),
      }),
      'each with `memberDid`, `status`, `role`, `permissions`, `provider` and `expiresAt`',
    ),
  }),
  'consent history': z.strictObject({
    creatorDid: maybe(text('who holds the identifier'), 'if nobody'),
    acts: list(
      z.union([api('consent', 'ConsentAct', 'an act'), api('consent', 'ConsentSettlement', 'an act of the operator')]),
      'the acts, verified',
    ),
    claims: list(
      z.looseObject({ creator_did: z.string(), recorded_at: z.int(), isProved: z.boolean() }),
      'declarations of others, which count for nothing: as `ConsentClaim`, and `isProved`, whether a key of theirs signed it',
    ),
  }),
  'consent batch': z.strictObject({
    results: list(api('consent', 'BatchResult', 'one result'), 'one for each line, in their order'),
  }),
  'capsule sign': z.strictObject({
    assetId,
    position: z.unknown().describe('where it is in the log; null if not yet'),
    duplicate: z.boolean().describe('whether it was registered before'),
    proof: file('the proof'),
  }),
  'capsule verify': verdict,
  'capsule delete': z.strictObject({ assetId }),
  'text fingerprint': z.strictObject({
    assetId: text('the id that it is registered under'),
    wordCount: count('words of the text'),
    chunks: list(
      z.strictObject({ values: z.array(z.union([z.literal(1), z.literal(-1)])), wordStart: z.int(), wordEnd: z.int() }),
      'each with 256 `values` of 1 or -1, `wordStart` and `wordEnd`',
    ),
  }),
  'text search': z.strictObject({ matches: list(api('provenance', 'TextMatch', 'one match'), 'best first') }),
  'text delete': z.strictObject({ assetId }),
  'directory lookup': z.strictObject({
    accountDid: did,
    seq: count('how many updates the account has'),
    head: hash,
    devices: list(
      z.looseObject({ deviceId, packages: z.array(z.unknown()) }),
      'each with `deviceId`, `packages` and `revocation`. In your own account, `signer` of a package says what its device is today',
    ),
  }),
  'directory publish': z.strictObject({
    deviceId,
    leafId: maybe(text('id of the leaf in the log'), 'with `--add`'),
    stock: list(api('keys', 'PrekeyStock', 'one stock'), 'what is left of the prekeys'),
    secrets: file('the secrets of the prekeys, encrypted'),
  }),
  'directory reserve': z.strictObject({
    prekey: api('keys', 'Prekey', 'the prekey'),
    receipt: api('keys', 'PrekeyReservationReceipt', 'the receipt that the directory signed'),
    usedFallback: z.boolean().describe('whether it is a prekey of last resort'),
    package: api('keys', 'DevicePackage', 'what the device has published'),
    ciphertextB64u: maybe(text('what the owner opens, as base64url'), 'without `--secret`'),
    file: maybe(file('the 32 shared bytes'), 'without `--secret`'),
  }),
  'directory open': z.strictObject({ prekeyId: text('id of the prekey'), file: file('the 32 shared bytes') }),
  'directory revoke': z.strictObject({
    deviceId,
    leafId: text('id of the leaf in the log'),
    revokedAt: time('when it was taken back'),
  }),
  'directory audit': z.strictObject({
    log: text('the log'),
    size: count('entries of the log'),
    root: hash,
    updates: count('updates since the last visit'),
    witness: maybe(text('the userId of the witness that cosigned'), 'without `--cosign`'),
  }),
}
