import type { Chain } from '../chain/chain.ts'
import type { Security } from '../chain/hold.ts'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Rotation } from '../chain/rotation.ts'
import type { AttestOptions, Devices } from '../devices/devices.ts'
import type { Authorization, Pairing } from '../devices/relays.ts'
import type { Did } from '../did/did.ts'
import type { Events } from '../events/events.ts'
import type { Account } from '../identity/account.ts'
import type { Recovery } from '../recovery/recovery.ts'
import type { Deployment } from '../services/deployment.ts'
import type { Watch } from '../watch/watch.ts'
import type { Members } from './check.ts'
import type { Takes } from './takes.ts'

const ATTEST_OPTIONS: Members<AttestOptions> = {
  capabilities: 0,
  expiresAt: 0,
  confirmBy: 0,
  agreedBy: 0,
  agreement: 0,
}

export const DID: Takes<Did> = {
  safeResolve: 'resolve',
  safeKeyAgreementOf: 'keyAgreementOf',
  register: [['options?', { services: 0 }]],
  keyAgreementOf: ['did'],
  resolve: ['did', ['version?', { versionId: 0, versionTime: 0 }]],
}

export const KEY_HISTORY: Takes<KeyHistory> = {
  safeOf: 'of',
  safeRotation: 'rotation',
  safeCheck: 'check',
  of: ['did'],
  logged: ['did'],
  refuseOlder: ['did', 'root'],
  rotation: ['did'],
  check: ['did', 'record'],
}

export const PAIRING: Takes<Pairing> = {
  safeTake: 'take',
  seal: ['invitation', 'attestation', 'payload?'],
  take: ['invitation', 'device'],
  waitToTake: ['invitation', 'device'],
  safeRead: 'read',
  safeJoin: 'join',
  offer: [],
  read: ['invitation'],
  wait: ['invitation'],
  cancel: ['invitation'],
  decline: ['invitation'],
  offerer: ['invitation'],
  join: ['invitation', 'device'],
  confirmationCodeOf: ['invitation', 'request'],
  approve: ['invitation', 'confirmed', ['options?', ATTEST_OPTIONS]],
}

export const AUTHORIZATION: Takes<Authorization> = {
  safeTake: 'take',
  grant: ['invitation', 'attestation', 'key'],
  take: ['invitation', 'device'],
  waitToTake: ['invitation', 'device'],
  safeRead: 'read',
  safeJoin: 'join',
  offer: [],
  read: ['invitation'],
  wait: ['invitation'],
  cancel: ['invitation'],
  decline: ['invitation'],
  offerer: ['invitation'],
  join: ['invitation', 'device'],
  confirmationCodeOf: ['invitation', 'request'],
  approve: ['invitation', 'confirmed', ['options?', ATTEST_OPTIONS]],
}

export const ACCOUNT: Takes<Account> = {
  licence: [],
  redeem: ['code', 'did'],
  pin: ['cid', 'name?'],
  pins: ['cursor?'],
  allPins: [],
  unpin: ['cid'],
  content: ['cid', ['options?', { onProgress: 0 }]],
  contentStream: ['cid', ['options?', { onProgress: 0 }]],
  takedowns: [],
}

export const CHAIN: Takes<Chain> = {
  safeVerify: 'verify',
  safeHead: 'head',
  safePage: 'page',
  safePayload: 'payload',
  safeRoot: 'root',
  safeReadGenesis: 'readGenesis',
  genesis: [['options?', { block: 0, commitment: 0 }]],
  makeGenesis: ['commitment?'],
  makeBlock: ['head', ['content', { payload: 0, contentType: 0, metadata: 0 }]],
  append: [['content', { payload: 0, contentType: 0, metadata: 0 }], 'head?'],
  discard: [],
  head: [],
  page: [['query?', { from: 0, to: 0, limit: 0, contentType: 0 }]],
  blocks: ['from?'],
  verify: [['options?', { onProgress: 0 }]],
  payload: ['blockId'],
  root: ['did'],
  readGenesis: ['did'],
  syncStatus: [],
}

export const SECURITY: Takes<Security> = {
  deactivate: [['options?', { successor: 0 }]],
  hold: [],
  placeHold: [],
  liftHold: [],
}

export const WATCH: Takes<Watch> = {
  safeLook: 'look',
  look: ['did', 'token?'],
  make: ['token?'],
  tokens: [],
  withdraw: ['tokenHash'],
}

export const ROTATION: Takes<Rotation> = {
  safeNewest: 'newest',
  safeCurrent: 'current',
  makeRequest: ['successor', ['options', { version: 1, commitment: 0 }]],
  request: ['signed'],
  newest: [],
  rehearse: ['successor', ['options', { kept: 0, version: 1, commitment: 0 }]],
  current: [],
  freeze: ['rotationId'],
  freezeAs: ['successor', 'rotationId'],
  cancel: ['rotationId'],
  cosign: ['pending'],
  recover: ['request'],
  activate: ['rotation'],
  activateFor: ['did', 'rotation'],
  noteActivation: ['rotationId'],
}

export const DEVICES: Takes<Devices> = {
  safeVerify: 'verify',
  safeHead: 'head',
  known: [],
  head: [],
  page: ['from?'],
  verify: [],
  makeAttestation: ['acceptance', 'head', ['options?', ATTEST_OPTIONS]],
  makeChange: ['deviceId', ['change', { event: 1, capabilities: 0 }], 'head'],
  attest: ['acceptance', ['options?', ATTEST_OPTIONS]],
  confirm: [],
  revoke: ['deviceId'],
  suspend: ['deviceId'],
  resume: ['deviceId'],
  change: ['deviceId', ['change', { event: 1, capabilities: 0 }]],
  batch: ['events'],
}

export const EVENTS: Takes<Events> = {
  safeRead: 'read',
  read: [['options?', { after: 0, limit: 0, waitSeconds: 0 }]],
  iterate: [['options?', { after: 0, limit: 0 }]],
  watch: [['options?', { after: 0, limit: 0 }]],
  addHook: ['url'],
  verifyHook: ['hookId'],
  hooks: [],
  deleteHook: ['hookId'],
}

export const RECOVERY: Takes<Recovery> = {
  safeStatus: 'status',
  status: [],
  start: ['device?'],
  contest: ['by'],
  forOperator: [],
  finish: [],
  recover: [['options', { successor: 1, device: 0, rootCopy: 0, dispute: 0 }]],
}

export const DEPLOYMENT: Takes<Deployment> = {
  health: [],
  capabilities: [],
  verifySignature: [
    ['request', { alg: 0, publicKeyB64u: 1, signatureB64u: 1, messageB64u: 0, hashAlg: 0, hashB64u: 0 }],
  ],
  prepareHeader: [
    [
      'header',
      {
        userId: 1,
        noteId: 1,
        deviceId: 1,
        operation: 1,
        contentType: 1,
        contentLength: 1,
        timestamp: 1,
        app: 1,
        ext: 0,
      },
    ],
  ],
}
