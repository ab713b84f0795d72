import * as z from 'zod'
import {
  api,
  assetId,
  count,
  deviceId,
  did,
  file,
  hash,
  isoTime,
  list,
  maybe,
  readBytes,
  text,
  time,
  verdict,
  written,
} from './members.ts'

const keys = file('the key file, encrypted')
const index = text('number of the block, a decimal string')
const root = text('what was anchored, SHA3-384')
const epoch = text('the label of the anchor')
const anchorId = text('id of the anchor')
const isFindable = z.boolean().describe('whether everybody who has the file can find the anchor')
const countsAt = maybe(time('when it gains standing in rotations'), 'if it has standing or is not active')
const stamp = file('the stamp')

/** Results of what concerns the identity itself, by command. */
export const OWN_RESULTS: Readonly<Record<string, z.ZodObject>> = {
  init: z.strictObject({
    profile: text('name of the profile'),
    core: text('origin of core'),
    realm: text('the realm of the deployment'),
    origin: maybe(text('sent as `Origin`'), 'if none is'),
    docs: text('origin of the documentation'),
    did: maybe(did, 'before there is one'),
    signer: maybe(list(z.string(), 'the program that holds the root key, and its arguments'), 'without one'),
    lineage: maybe(
      z
        .strictObject({ scope: z.string(), epoch: z.int() })
        .describe('of a key of the signer that replaced another: `scope` and `epoch`'),
      'otherwise',
    ),
    device: maybe(
      z
        .strictObject({ deviceId: z.string(), epoch: z.int() })
        .describe('as which device this machine joined, and under which root key: `deviceId` and `epoch`'),
      'where it did not join',
    ),
    trust: z.enum(['first-seen', 'given']).describe('whether its keys were pinned before'),
    keys: count('how many keys the deployment shows'),
  }),
  trust: z.strictObject({
    core: text('origin of core'),
    realm: text('the realm of the deployment'),
    formerRealms: list(z.string(), 'realms that it had, as far as this machine used them'),
    fingerprint: maybe(text('of the keys that sign the list'), 'without a list'),
    isCompared: z.boolean().describe('whether somebody passed this fingerprint'),
    threshold: count('how many of the keys must sign a list'),
    keys: list(z.string(), 'the keys that sign the list, base64url'),
    version: maybe(count('version of the newest list'), 'without a list'),
    validUntil: maybe(count('when that list ends, epoch ms'), 'without a list'),
    witnesses: maybe(
      z
        .strictObject({ threshold: z.int(), publicKeysB64u: z.array(z.string()) })
        .describe('the witnesses that you demand: `threshold` of `publicKeysB64u`'),
      'while you demand none',
    ),
    proposedWitnesses: z
      .strictObject({
        threshold: z.int(),
        keys: z.array(
          z.strictObject({ publicKeyB64u: z.string(), validFrom: z.int(), validUntil: z.int().nullable() }),
        ),
      })
      .describe('the witnesses that the list proposes: `threshold`, and `keys` with their times'),
  }),
  doctor: z.strictObject({
    ok: z.boolean().describe('whether nothing failed'),
    checks: list(
      z.strictObject({
        name: text('what was checked'),
        state: z.enum(['ok', 'warning', 'failed']),
        found: text('what was found'),
        next: maybe(text('what to do'), 'if nothing'),
      }),
      'each check: `name`, `state`, `found` and `next`',
    ),
  }),
  whoami: z.strictObject({
    profile: text('name of the profile'),
    core: text('origin of core'),
    realm: text('the realm of the deployment'),
    did: maybe(did, 'before there is one'),
    keys: z.enum(['signer', 'file', 'none']).describe('where the root key is'),
  }),
  status: z.strictObject({
    did,
    epoch: count('epoch of the root key'),
    sheets: list(
      z.strictObject({ confirmedAt: z.int().nullable(), isNamed: z.boolean(), isInFile: z.boolean() }),
      'each sheet with `confirmedAt`, `isNamed` (whether the identity commits to its key) and `isInFile` (whether the recovery file has a request for it)',
    ),
    hasFile: z.boolean().describe('whether the recovery file is of this root key'),
    meaning: maybe(
      z.enum(['words_and_file', 'words', 'root_and_device', 'never']).describe('how the identity can be recovered'),
      'without a commitment',
    ),
  }),
  completion: z.strictObject({ shell: text('the shell'), script: text('the completion script') }),
  man: z.strictObject({ page: text('the manual page, in roff') }),
  schema: z.strictObject({
    command: text('the command'),
    schema: z.looseObject({}).describe('JSON Schema, draft 2020-12'),
  }),
  sign: z.strictObject({
    file: file('the signature'),
    did,
    audience: text('who it is for'),
  }),
  verify: verdict,
  quota: z.strictObject({
    meters: list(api('pay', 'Meter', 'one meter'), 'what is used of each meter'),
    stored: z.unknown().describe('bytes and rows that are kept; null if the service does not tell'),
  }),
  request: z.strictObject({
    status: count('status of the answer'),
    headers: z.record(z.string(), z.string()).describe('headers of the answer, by their names in lower case'),
    body: z.unknown().describe('the JSON of the answer, or its text'),
  }),
  'explain assertion': z.strictObject({
    ok: z.boolean().describe('whether a service would accept it'),
    code: maybe(text('what is wrong'), 'if nothing'),
    member: maybe(text('the member that is wrong'), 'if none'),
    text: text('the reason in a sentence'),
    unknown: list(z.string(), 'what only the service can tell'),
  }),
  'explain block': z.strictObject({
    index,
    profile: count('the profile of the block'),
    at: isoTime('when it was made, by the clock of its writer'),
    hash: maybe(hash, 'of a block without a signature'),
    previousHash: hash,
    contentType: maybe(text('type of the payload'), 'without one'),
    epoch: maybe(count('epoch of the root key'), 'in profiles without one'),
    signer: text('the DID that the key in the block derives to'),
    signature: z.enum(['valid', 'invalid', 'none']).describe('by the key in the block'),
  }),
  'explain statement': z.strictObject({
    type: text('its type'),
    isKnown: z.boolean().describe('whether this version knows the type'),
    realm: maybe(text('the deployment that it is for'), 'if it names none'),
    issuedAt: maybe(isoTime('when it was signed'), 'if it names no time'),
    hash,
    isSigned: z.boolean().describe('whether a signature is there; `svc verify` checks it'),
    statement: z.looseObject({}).describe('the statement'),
  }),
  'explain error': z.strictObject({
    error: text('the name'),
    status: count('its status'),
    text: text('what it means'),
    next: text('what to do'),
    page: text('the page that explains it'),
  }),
  'id new': z.strictObject({
    did,
    deviceId: maybe(deviceId, 'with `--local`'),
    keys,
    recovery: maybe(file('the recovery file; without sheets, the encrypted recovery key'), 'with `--local`'),
    sheets: list(
      z.strictObject({ confirmedAt: z.int().nullable() }),
      'each sheet of words with `confirmedAt`: when words of it were typed, null if never',
    ),
  }),
  'id list': z.strictObject({
    identities: list(
      z.strictObject({ did, keys, isCurrent: z.boolean() }),
      'each with `did`, `keys` and `isCurrent`, which tells whether the profile uses it',
    ),
  }),
  'id show': z.strictObject({
    did,
    root: maybe(
      z
        .strictObject({ userId: z.string(), epoch: z.int(), publicKeyB64u: z.string() })
        .describe('the root key: `userId`, `epoch` and `publicKeyB64u`'),
      'if it is not in the file',
    ),
    devices: list(
      z.strictObject({
        deviceId,
        origin: z.string(),
        capabilities: z.array(z.string()),
        isAttested: z.boolean(),
      }),
      'each with `deviceId`, `origin`, `capabilities` and `isAttested`',
    ),
    hasRecovery: z.boolean().describe('whether a recovery is prepared'),
  }),
  'id import': z.strictObject({
    did,
    keys,
    hasRoot: z.boolean().describe('whether the root key is among them'),
    devices: count('how many devices'),
    replaced: z.string().nullable().describe('a copy of the key file that was here before; null if there was none'),
  }),
  'id export': z.strictObject({ did, ...written }),
  'id backup': z.strictObject({ did, ...written }),
  'chain init': z.strictObject({ did, hash }),
  'chain head': z.strictObject({ index, hash }),
  'chain append': z.strictObject({ index, hash, block: api('core', 'ChainBlock', 'the signed block') }),
  'chain list': z.strictObject({
    blocks: list(
      z.strictObject({ index, timestamp: time('when'), contentType: z.string().nullable(), hash: hash.nullable() }),
      'each with `index`, `timestamp`, `contentType` and `hash`',
    ),
  }),
  'chain payload': z.strictObject({
    block: text('as you named it'),
    contentType: maybe(text('its type'), 'without one'),
    ...readBytes,
  }),
  'chain verify': z.strictObject({
    verdict: z.literal('valid').describe('a chain that is not is a failure'),
    index,
    hash,
  }),
  'chain export': z.strictObject({ did, blocks: count('how many blocks'), ...written }),
  'anchor stamp': z.strictObject({
    stamp,
    anchorId,
    root,
    epoch,
    isFindable,
    inLibrary: z.boolean().describe('whether your other devices find the stamp'),
  }),
  'anchor find': z.strictObject({ stamp, anchorId, root, epoch }),
  'anchor upgrade': z.strictObject({
    stamp,
    isComplete: z.boolean().describe('whether the proof is in it'),
    witnesses: maybe(count('how many witnesses have cosigned it'), 'while it is not complete'),
  }),
  'anchor verify': verdict,
  'anchor info': z.strictObject({
    isComplete: z.boolean().describe('whether the proof is in it'),
    anchorId,
    root,
    epoch,
    isFindable,
    owner: maybe(text('who claims it'), 'while it waits'),
    log: maybe(text('the log'), 'while it waits'),
    at: maybe(isoTime('when the log was signed'), 'while it waits'),
  }),
  'anchor log': z.strictObject({
    log: text('the log'),
    size: count('entries of the log'),
    root: hash,
    recomputed: count('how many of the newest anchors were recomputed, at most 2,048'),
    logs: count('how many logs are in the signed list'),
  }),
  'asset show': z.strictObject({
    record: api('core', 'AssetRecord', 'the record'),
    proof: z.looseObject({}).describe('whether its owner is proved: `owner`, `did` and, if not, `reason`'),
  }),
  'asset export': z.strictObject({ assetId, transfers: count('how many transfers'), ...written }),
  'asset displaced': z.strictObject({
    owner: text('DID of who claimed it'),
    displacedAt: isoTime('when it was displaced'),
    transfers: count('how many transfers it had'),
  }),
  'device pair': z.strictObject({ did, deviceId, countsAt }),
  'device join': z.strictObject({
    did,
    deviceId,
    keys,
    received: maybe(file('what was handed over'), 'if nothing was'),
  }),
  'device list': z.strictObject({
    devices: list(
      z.strictObject({
        deviceId,
        status: z.enum(['active', 'suspended', 'revoked', 'ended', 'expired']),
        countsAt,
        capabilities: z.array(z.string()),
      }),
      'each with `deviceId`, `capabilities`, `countsAt` (when it gains standing in rotations, epoch ms; null if it has standing or is not active) and `status`, which is `ended` if the root key was replaced since it joined',
    ),
  }),
  'device revoke': z.strictObject({ deviceId }),
  'id events': z.strictObject({
    events: list(api('core', 'FeedEvent', 'one event'), 'the events, oldest first'),
    missed: count('how many the feed no longer has, because they were deleted or merged'),
  }),
}
