import { pure } from '../../base/pure.ts'
import { FIVE_MINUTES, NEVER, type StatementRule, type StatementRules } from './rule.ts'

const receipt = (
  signer: string,
  subject: readonly string[],
  verifier: string,
  expires = 'never; its key may have been replaced since',
): StatementRule => ({ signer, subject, verifier, replay: { kind: 'receipt', members: [] }, expires })

/** What services and witnesses sign: logs, receipts and pages. */
export const SERVICE_RULES = /* @__PURE__ */ pure(
  () =>
    ({
      'svc/transparency-cosignature/v1': {
        signer: 'a witness',
        subject: ['log', 'size', 'root'],
        verifier:
          'the key directory, `POST /api/transparency/cosignatures`; core, `POST /api/anchors/cosignatures`; everyone who reads a checkpoint',
        replay: { kind: 'newest', members: ['size'] },
        expires: NEVER,
      },
      'svc/log-list/v1': {
        signer: 'a threshold of the list keys, and of those of the list before',
        subject: ['version', 'logs', 'services'],
        verifier: 'every client, from the list keys that it pinned',
        replay: { kind: 'position', members: ['version', 'previous'] },
        expires: 'at `validUntil`',
      },
      'svc/anchor-checkpoint/v1': receipt(
        'the key of the log',
        ['log', 'size', 'root'],
        'everyone who verifies a proof',
      ),
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
      'svc/consent-snapshot/v1': receipt(
        'the snapshot key of consent',
        ['at', 'entriesHash'],
        'everyone who keeps a copy',
      ),
    }) satisfies StatementRules,
)
