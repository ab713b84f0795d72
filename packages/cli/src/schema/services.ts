import * as z from 'zod'
import { api, assetId, bytes, count, deviceId, did, file, list, maybe, readBytes, text, time } from './members.ts'

const account = z.strictObject({
  outcome: z.enum(['signed-in', 'confirm-by-mail']).describe('`confirm-by-mail` waits for `svc signin confirm`'),
  accountId: maybe(text('id of the account'), 'until it is confirmed'),
})
const anImage = z.strictObject({
  assetId,
  did: z.string().describe('who registered it'),
  distance: z.int(),
  orientation: z.string(),
})
const aVideo = z.strictObject({
  assetId,
  did: z.string().describe('who registered it'),
  score: z.number(),
  frames: z.array(z.strictObject({ atMs: z.number(), queryAtMs: z.number(), distance: z.int() })),
})

/** Results of what an identity does with services beside core’s records, by command. */
export const SERVICE_RESULTS: Readonly<Record<string, z.ZodObject>> = {
  'content list': z.strictObject({ pins: list(api('core', 'Pinned', 'one pin'), 'the pins, by CID') }),
  'content get': z.strictObject({ cid: text('as you named it'), ...readBytes }),
  'content takedowns': z.strictObject({
    takedowns: list(api('core', 'Takedown', 'one act'), 'the acts of the operator, oldest first'),
  }),
  'governance propose': z.strictObject({
    file: file('the proposal'),
    previousPolicyId: text('id of the policy that it replaces'),
  }),
  'governance sign': z.strictObject({ file: file('the signature') }),
  'governance audit': z.strictObject({
    policies: list(api('core', 'GovernanceAuditEntry', 'one entry'), 'which came into force, oldest first'),
  }),
  'consent snapshot': z.strictObject({
    at: time('the full hour that the snapshot is of'),
    results: list(
      z.looseObject({ hash: z.string(), found: z.boolean() }),
      'one for each identifier: `hash`, `found` and, if it is, `preferences` and `usage`',
    ),
  }),
  'image search': z.strictObject({
    matches: list(anImage, 'the nearest first, each with `assetId`, `did`, `distance` of 256 bits and `orientation`'),
  }),
  'image models': z.strictObject({
    models: list(api('provenance', 'ModelArtefact', 'one file'), 'the files of the models'),
    file: maybe(file(), 'without `--get`'),
  }),
  'video search': z.strictObject({
    matches: list(aVideo, 'the best first, each with `assetId`, `did`, `score` from 0 to 1 and the `frames` found'),
  }),
  'commitment make': z.strictObject({ id: text('id of the commitment'), opening: file('the opening') }),
  'commitment verify': z.strictObject({
    verdict: z.literal('valid').describe('a commitment to something else is a failure'),
    id: text('id of the commitment'),
    did: maybe(did, 'of a record of an earlier service without one'),
    createdAt: time('when the service accepted it, as it says'),
  }),
  'directory pool': z.strictObject({
    deviceId,
    stock: list(api('keys', 'PrekeyStock', 'one stock'), 'what is left of the prekeys'),
    reservations: list(api('keys', 'ReservationEntry', 'one reservation'), 'who reserved which, newest first'),
  }),
  'directory allow': z.strictObject({
    reserve: z.string().describe('who may reserve: `anyone`, `contacts` or `challenge`'),
    contacts: list(z.string(), 'the tags of the contacts, which the directory has'),
    passes: list(
      z.strictObject({ did: z.string(), passB64u: z.string() }),
      'each contact with `did` and the `passB64u` to give them',
    ),
  }),
  'directory beacon': z.strictObject({
    origin: text('the first line of the checkpoint'),
    size: count('leaves of the beacon'),
    rootB64u: text('SHA-256 root as base64url'),
    signedBy: list(z.string(), 'verifier keys of the beacon that signed'),
    witnesses: list(
      z.strictObject({ url: z.string(), hasCosigned: z.boolean() }),
      'each witness: `url`, and `hasCosigned`, whether all its keys have',
    ),
    at: time('when the newest leaf was made'),
    heads: list(
      z.strictObject({ log: z.string(), size: z.int(), root: z.string() }),
      'the open logs in the newest leaf: `log`, `size` and `root`',
    ),
    file: maybe(file('the checkpoint'), 'without `--out`'),
  }),
  'signin register': account,
  'signin confirm': account,
  'signin login': account,
  'signin password': account,
  'signin provider': z.strictObject({ url: text('the address to open in a browser') }),
  'signin return': z.strictObject({
    provider: text('who has confirmed it'),
    hasAccount: z.boolean().describe('whether there is an account already'),
    emailVerified: z.boolean().describe('whether the provider has verified a mail address'),
  }),
  'signin sessions': z.strictObject({
    sessions: list(api('auth', 'ListedSession', 'one session'), 'newest first'),
    ended: count('how many were ended now'),
  }),
  'signin devices': z.strictObject({
    devices: list(api('auth', 'KnownDevice', 'one device'), 'newest first'),
    forgotten: count('how many were forgotten now'),
  }),
  'signin wrap': z.strictObject({ file: file('the encrypted file') }),
  'signin unwrap': z.strictObject({ ...readBytes, bytes }),
  'signin logout': z.strictObject({ signedOut: z.boolean().describe('whether the session has ended') }),
  'signin delete': z.strictObject({ deleted: z.boolean().describe('whether the account is deleted') }),
}
