import { pure } from '../../base/pure.ts'
import { FIVE_MINUTES, NEVER, ROOT, type StatementRules } from './rule.ts'

/** What people sign about what they keep, made and own. */
export const RECORD_RULES = /* @__PURE__ */ pure(
  () =>
    ({
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
      'svc/anchor-publication/v2': {
        signer: 'the publisher key of the deployment',
        subject: ['leaf', 'chain', 'tx'],
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
    }) satisfies StatementRules,
)
