import { pure } from '../../base/pure.ts'
import { EPOCH_ENDS, FIVE_MINUTES, LINK, NEVER, ROOT, type StatementRules } from './rule.ts'

/** What root keys, devices and guardians sign about an identity and its keys. */
export const IDENTITY_RULES = /* @__PURE__ */ pure(
  () =>
    ({
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
    }) satisfies StatementRules,
)
