/**
 * What holds for each kind of statement: who signs it, what it is about, who verifies it, why a copy of it does nothing,
 * and when it stops being accepted. The page on statements has the table that is generated from this and the schemas.
 *
 * @module
 */

import { pure } from '../base/pure.ts'
import type { StatementType } from '../base/statement.ts'

/**
 * Why presenting a statement again has no effect. `members` are the signed members that the verifier compares for it.
 *
 * - `nonce`: accepted once; again only to finish what it began.
 * - `position`: names the place in a log that it takes; the place is taken once.
 * - `newest`: only a later one replaces it, so an old one changes nothing.
 * - `once`: names what it decides, and that is decided once; repeating it returns the same result.
 * - `clock`: accepted for a few minutes after `issuedAt`, and idempotent within them.
 * - `container`: valid only inside another statement, named by the members, which has its own rule.
 * - `receipt`: made by a service and presented to nobody; it proves what it names, however often it is read.
 */
export type ReplayRule = {
  readonly kind: 'nonce' | 'position' | 'newest' | 'once' | 'clock' | 'container' | 'receipt'
  readonly members: readonly string[]
}

export interface StatementRule {
  readonly signer: string
  /** The members that name what it is about; it means nothing for anything else. */
  readonly subject: readonly string[]
  readonly verifier: string
  readonly replay: ReplayRule
  readonly expires: string
}

const ROOT = 'the current root key of the identity'
const ORGANIZATION = 'the current root key of the organization'
const OPERATOR = 'the operator key of the deployment'
const EPOCH_ENDS = 'with the root key: `epoch` or `rootEpoch` must be the current one'
const LINK = ['sequence', 'previousHash']
const NEVER = 'never'
const FIVE_MINUTES = 'five minutes after `issuedAt`'

const act = (subject: readonly string[], verifier: string): StatementRule => ({
  signer: OPERATOR,
  subject: ['service', ...subject],
  verifier,
  replay: { kind: 'nonce', members: ['nonce'] },
  expires: FIVE_MINUTES,
})

const receipt = (
  signer: string,
  subject: readonly string[],
  verifier: string,
  expires = 'never; its key may have been replaced since',
): StatementRule => ({ signer, subject, verifier, replay: { kind: 'receipt', members: [] }, expires })

export const STATEMENT_RULES: Readonly<Record<StatementType, StatementRule>> = /* @__PURE__ */ pure(() => ({
  'svc/key-agreement/v1': {
    signer: ROOT,
    subject: ['did', 'scope'],
    verifier: 'core, for `POST /1.0/register`; every sender of a message',
    replay: { kind: 'newest', members: ['issuedAt'] },
    expires: 'when a later one is registered, and with the root key',
  },
  'svc/message/v1': {
    signer: 'a root key or a device of the identity',
    subject: ['did', 'audience'],
    verifier: 'the application that `audience` names',
    replay: { kind: 'nonce', members: ['nonce'] },
    expires: 'when its audience says',
  },
  'svc/did-deactivate/v1': {
    signer: ROOT,
    subject: ['did', 'scope'],
    verifier: 'core, `POST /api/chain/deactivate`',
    replay: { kind: 'clock', members: ['issuedAt', 'epoch'] },
    expires: FIVE_MINUTES,
  },
  'svc/rotation-request/v1': {
    signer: 'the current root key and the new one',
    subject: ['did', 'scope'],
    verifier: 'core, for `POST /api/rotation/request`; everyone who reads a key history',
    replay: { kind: 'once', members: ['epoch', 'nonce'] },
    expires: EPOCH_ENDS,
  },
  'svc/rotation-rehearsal/v1': {
    signer: 'the current root key and the new one',
    subject: ['did', 'scope'],
    verifier: 'core, `POST /api/chain/rotation/rehearse`',
    replay: { kind: 'once', members: ['epoch', 'nonce'] },
    expires: EPOCH_ENDS,
  },
  'svc/rotation-freeze/v1': {
    signer: 'the current root key, or an active device or one with standing',
    subject: ['did', 'scope', 'rotationId'],
    verifier: 'core, `POST /api/chain/rotation/freeze`; everyone who reads the record',
    replay: { kind: 'once', members: ['rotationId', 'signedBy'] },
    expires: 'when the rotation is decided',
  },
  'svc/rotation-cancel/v1': {
    signer: ROOT,
    subject: ['did', 'scope', 'rotationId'],
    verifier: 'core, `POST /api/chain/rotation/freeze`; everyone who reads the record',
    replay: { kind: 'once', members: ['rotationId', 'signedBy'] },
    expires: 'when the rotation is decided',
  },
  'svc/rotation-cosign/v1': {
    signer: 'a device with standing to co-sign',
    subject: ['did', 'scope', 'rotationId'],
    verifier: 'core, `POST /api/chain/rotation/cosign`; everyone who reads the record',
    replay: { kind: 'once', members: ['rotationId', 'signedBy'] },
    expires: 'when the rotation is decided, and 30 days after the device was lost',
  },
  'svc/device-acceptance/v1': {
    signer: 'the device key',
    subject: ['did', 'deviceId'],
    verifier: 'core, inside an attestation and to join an offer; every reader of the inception log',
    replay: { kind: 'container', members: ['did', 'deviceId', 'issuedAt'] },
    expires: 'an hour after `issuedAt`, and with its first attestation',
  },
  'svc/device-attestation/v1': {
    signer: ROOT,
    subject: ['did', 'scope', 'deviceId'],
    verifier: 'core, `POST /api/inception/device`; every reader of the inception log',
    replay: { kind: 'position', members: LINK },
    expires: EPOCH_ENDS,
  },
  'svc/device-event/v1': {
    signer: ROOT,
    subject: ['did', 'scope', 'deviceId'],
    verifier: 'core, `POST /api/inception/device-event`; every reader of the inception log',
    replay: { kind: 'position', members: LINK },
    expires: EPOCH_ENDS,
  },
  'svc/key-package/v1': {
    signer: 'the device key',
    subject: ['did', 'deviceId'],
    verifier: 'the key directory, with a credential; everyone who encrypts to the device',
    replay: { kind: 'container', members: ['did', 'deviceId', 'profile', 'suiteId'] },
    expires: 'with its credential',
  },
  'svc/device-credential/v1': {
    signer: ROOT,
    subject: ['did', 'scope', 'deviceId'],
    verifier: 'the key directory, `PUT …/devices/{deviceId}`; everyone who encrypts to the device',
    replay: { kind: 'newest', members: ['version'] },
    expires: 'when a higher `version` is published or revoked, and with the root key',
  },
  'svc/package-revocation/v1': {
    signer: ROOT,
    subject: ['did', 'scope', 'deviceId'],
    verifier: 'the key directory, `POST …/revoke`; everyone who reads the listing',
    replay: { kind: 'newest', members: ['version'] },
    expires: NEVER,
  },
  'svc/prekey-batch/v1': {
    signer: 'the device key',
    subject: ['did', 'deviceId'],
    verifier: 'the key directory, `POST …/prekeys`; everyone who gets a prekey',
    replay: { kind: 'once', members: ['root'] },
    expires: 'with its credential',
  },
  'svc/guardian-request/v1': {
    signer: ROOT,
    subject: ['did', 'scope', 'subjectHash'],
    verifier: 'the key directory, `POST /api/guardian/attest`; its guardians',
    replay: { kind: 'nonce', members: ['nonce'] },
    expires: 'at `expiresAt`',
  },
  'svc/guardian-attestation/v1': {
    signer: 'the current root key of a guardian',
    subject: ['requestId', 'did', 'subjectHash'],
    verifier: 'the key directory, `POST /api/guardian/attest`; everyone who counts attestations',
    replay: { kind: 'once', members: ['requestId', 'guardianDid'] },
    expires: 'with its request',
  },
  'svc/epoch-vault-key/v1': {
    signer: 'the current root key of a member',
    subject: ['epoch', 'publisher'],
    verifier: 'the key directory, `POST /api/vault/{epoch}/keys`; every member of the vault',
    replay: { kind: 'position', members: ['generation', 'previous'] },
    expires: NEVER,
  },
  'svc/epoch-note/v1': {
    signer: 'the current root key of the author',
    subject: ['epoch', 'noteId', 'author'],
    verifier: 'the key directory, `PUT /api/vault/{epoch}/notes/{noteId}`; every member who reads it',
    replay: { kind: 'position', members: ['version', 'generation'] },
    expires: NEVER,
  },
  'svc/org-inception/v1': {
    signer: ORGANIZATION,
    subject: ['did', 'scope'],
    verifier: 'core, `POST /api/inception/org`; every reader of the inception log',
    replay: { kind: 'position', members: LINK },
    expires: EPOCH_ENDS,
  },
  'svc/org-officers/v1': {
    signer: `${ORGANIZATION}, and a quorum of the outgoing officers`,
    subject: ['did', 'scope'],
    verifier: 'core, `POST /api/inception/org-officers`; every reader of the inception log',
    replay: { kind: 'position', members: LINK },
    expires: EPOCH_ENDS,
  },
  'svc/officer-acceptance/v1': {
    signer: 'the current root key of the officer',
    subject: ['orgDid', 'orgScope', 'officerDid'],
    verifier: 'core, inside `svc/org-inception/v1` and `svc/org-officers/v1`',
    replay: { kind: 'container', members: ['rosterHash'] },
    expires: 'with the roster that it accepts',
  },
  'svc/org-binding/v1': {
    signer: ORGANIZATION,
    subject: ['orgDid', 'orgScope', 'memberDid'],
    verifier: 'the DID service, `POST /1.0/org/{orgDid}/bind` and `/revoke`; every reader of the bindings',
    replay: { kind: 'position', members: LINK },
    expires: EPOCH_ENDS,
  },
  'svc/org-acceptance/v1': {
    signer: 'the current root key of the member',
    subject: ['orgDid', 'orgScope', 'memberDid'],
    verifier: 'the DID service, inside `svc/org-binding/v1`',
    replay: { kind: 'newest', members: ['issuedAt'] },
    expires: 'with its first binding, and with the root key of the member',
  },
  'svc/delivery/v1': {
    signer: ROOT,
    subject: ['did', 'scope', 'deviceId'],
    verifier: 'the joining device, inside the encrypted contents',
    replay: { kind: 'once', members: ['code', 'contentsHash'] },
    expires: 'with the offer, ten minutes after it was opened',
  },
  'svc/note/v2': {
    signer: 'the current root key, or the device that writes',
    subject: ['did'],
    verifier: 'core, `POST /api/notes/{did}`; the owner, for every note that is read',
    replay: { kind: 'once', members: ['follows', 'cipherHash'] },
    expires: NEVER,
  },
  'svc/note-gc/v1': {
    signer: ROOT,
    subject: ['did'],
    verifier: 'core, `POST /api/notes/{did}/cas/gc`',
    replay: { kind: 'nonce', members: ['issuedAt'] },
    expires: FIVE_MINUTES,
  },
  'svc/note-rebuild/v1': {
    signer: ROOT,
    subject: ['did'],
    verifier: 'core, `POST /api/notes/{did}/cas/rebuild`',
    replay: { kind: 'nonce', members: ['issuedAt'] },
    expires: FIVE_MINUTES,
  },
  'svc/capsule/v1': {
    signer: 'the current root key, or a device that may write to provenance',
    subject: ['did', 'assetId'],
    verifier: 'provenance, `POST /api/register` and `/api/register/video`; everyone who reads a bundle',
    replay: { kind: 'once', members: ['did', 'assetId', 'kind'] },
    expires: NEVER,
  },
  'svc/anchor-publication/v1': {
    signer: 'the publisher key of the deployment',
    subject: ['anchorId', 'chain', 'tx'],
    verifier: 'core, `POST /api/anchors/publish-callback`',
    replay: { kind: 'nonce', members: ['nonce'] },
    expires: FIVE_MINUTES,
  },
  'svc/asset-mint/v1': {
    signer: 'the root key of the minter; a signer of the governance policy',
    subject: ['header', 'asset'],
    verifier: 'core, `POST /api/assets/mint`; every reader of the record',
    replay: { kind: 'once', members: ['asset'] },
    expires: NEVER,
  },
  'svc/anchor-submission/v1': {
    signer: 'the root key of the owner; signers of the governance policy',
    subject: ['owner', 'root', 'epoch'],
    verifier: 'core, `POST /api/anchors`; every reader of the record or its bundle',
    replay: { kind: 'once', members: ['owner', 'root', 'epoch'] },
    expires: 'a day after `issuedAt`, for submitting',
  },
  'svc/asset-transfer/v1': {
    signer: 'the root key of the previous owner; a signer of the governance policy',
    subject: ['header', 'previousOwner', 'newOwner'],
    verifier: 'core, `POST /api/assets/transfer`; every reader of the record or its export',
    replay: { kind: 'position', members: ['position', 'previousEventHash'] },
    expires: 'with the next event of the asset',
  },
  'svc/governance-policy/v1': {
    signer: 'signers of the policy that it names',
    subject: ['policy'],
    verifier: 'core, `POST /api/governance/policy`',
    replay: { kind: 'position', members: ['previousPolicyId', 'nonce'] },
    expires: 'when another policy follows `previousPolicyId`',
  },
  'svc/transparency-cosignature/v1': {
    signer: 'a witness',
    subject: ['log', 'size', 'root'],
    verifier: 'the key directory, `POST /api/transparency/cosignatures`; everyone who reads a checkpoint',
    replay: { kind: 'newest', members: ['size'] },
    expires: NEVER,
  },
  'svc/operator-chain-reindex/v1': act(['did'], 'core'),
  'svc/operator-rebuild-anchors/v1': act(['log', 'from', 'to'], 'core'),
  'svc/operator-rebuild-objects/v1': act(
    ['objects', 'name', 'after', 'replaces', 'lostAt'],
    'the service that records the objects',
  ),
  'svc/operator-roll-log/v1': act(['log', 'next'], 'core or the key directory'),
  'svc/operator-rotation-approve/v1': act(['did', 'rotationId'], 'core'),
  'svc/operator-governance-policy/v1': act(['policy', 'previousPolicyId'], 'core'),
  'svc/operator-epoch/v1': act(['epoch'], 'the key directory'),
  'svc/operator-epoch-member/v1': act(['epoch', 'did'], 'the key directory'),
  'svc/operator-epoch-withdraw/v1': act(['epoch'], 'the key directory'),
  'svc/operator-entitlement-code/v1': act(['codeHash'], 'pay'),
  'svc/operator-entitlement-code-withdraw/v1': act(['codeHash'], 'pay'),
  'svc/operator-licence/v1': act(['did', 'source'], 'pay'),
  'svc/operator-grant-end/v1': act(['grantId'], 'pay'),
  'svc/operator-dead-letter/v1': act(['eventId', 'action'], 'pay'),
  'svc/operator-dead-letters/v1': act(['after'], 'pay, `POST /api/operator/dead-letters`'),
  'svc/operator-reindex/v1': act(['index', 'after'], 'provenance'),
  'svc/operator-takedown/v1': act(['subject'], 'core or provenance'),
  'svc/operator-takedowns/v1': act(['after'], 'core or provenance, `POST /api/operator/takedowns`'),
  'svc/operator-texts/v1': act(['assetId', 'after'], 'provenance, `POST /api/operator/texts`'),
  'svc/operator-grants/v1': act(['did'], 'pay, `POST /api/operator/grants`'),
  'svc/operator-invite-approve/v1': act(['inviteId'], 'core'),
  'svc/operator-invite-decline/v1': act(['inviteId'], 'core'),
  'svc/operator-invite-forget/v1': act(['inviteId'], 'core'),
  'svc/operator-import-commitments/v1': act(['commitments'], 'provenance'),
  'svc/operator-import-consent/v1': act(['records'], 'consent'),
  'svc/operator-invites/v1': act(['after'], 'core, `POST /api/operator/invites`'),
  'svc/operator-consent-move/v1': act(['bucket', 'from', 'to'], 'consent'),
  'svc/operator-consent-settle/v1': act(['contentHash', 'creatorDid'], 'consent'),
  'svc/operator-disputes/v1': act(['after'], 'consent, `POST /api/operator/disputes`'),
  'svc/log-list/v1': {
    signer: 'a threshold of the list keys, and of those of the list before',
    subject: ['version', 'logs'],
    verifier: 'every client, from the list keys that it pinned',
    replay: { kind: 'position', members: ['version', 'previous'] },
    expires: 'at `validUntil`',
  },
  'svc/key-hand-over/v1': {
    signer: 'the key of the deployment that it replaces',
    subject: ['service', 'use', 'keyHash'],
    verifier: 'every client that pinned the key before',
    replay: { kind: 'once', members: ['keyHash', 'validFrom'] },
    expires: NEVER,
  },
  'svc/anchor-checkpoint/v1': receipt('the key of the log', ['log', 'size', 'root'], 'everyone who verifies a proof'),
  'svc/transparency-checkpoint/v1': receipt(
    'the key of the log',
    ['log', 'size', 'root'],
    'everyone who verifies a proof; witnesses',
  ),
  'svc/prekey-reservation/v1': receipt(
    'the receipt key of the key directory',
    ['reservationId', 'accountDid', 'deviceId', 'prekeyId'],
    'the requester',
    'at `expiresAt`',
  ),
  'svc/resolution/v1': receipt(
    'the resolver key of the deployment',
    ['did', 'documentHash'],
    'everyone who resolves a DID',
  ),
  'svc/note-manifest/v1': receipt('the receipt key of core', ['did', 'size', 'root'], 'the owner, for an export'),
  'svc/event-challenge/v1': {
    signer: 'the receipt key of core',
    subject: ['hookId', 'url'],
    verifier: 'the address of a web hook',
    replay: { kind: 'clock', members: ['issuedAt'] },
    expires: FIVE_MINUTES,
  },
  'svc/event-page/v1': receipt('the receipt key of core', ['did', 'after', 'head'], 'the owner'),
  'svc/note-deletion/v1': receipt('the receipt key of core', ['did', 'noteId', 'seq'], 'the owner'),
  'svc/quota-lease/v1': {
    signer: 'the receipt key of pay',
    subject: ['did', 'holder', 'kind'],
    verifier: 'the service that holds it, for each use',
    replay: { kind: 'once', members: ['leaseId'] },
    expires: 'at `expiresAt`, a day after `issuedAt` at the latest',
  },
  'svc/quota-receipt/v1': receipt('the receipt key of pay', ['did', 'operation', 'key'], 'the owner'),
  'svc/consent-snapshot/v1': receipt('the snapshot key of consent', ['at', 'entriesHash'], 'everyone who keeps a copy'),
}))
