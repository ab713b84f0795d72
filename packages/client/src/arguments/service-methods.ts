import type { Members } from '../did/members.ts'
import type { Membership } from '../did/membership.ts'
import type { Organization } from '../did/organization.ts'
import type { KeyDirectory } from '../keys/directory.ts'
import type { Epochs } from '../keys/epochs.ts'
import type { Guardians } from '../keys/guardians.ts'
import type { Transparency } from '../keys/transparency.ts'
import type { Entitlements } from '../pay/entitlements.ts'
import type { Pay } from '../pay/pay.ts'
import type { Quota } from '../pay/quota.ts'
import type { Takes } from './takes.ts'

export const KEY_DIRECTORY: Takes<KeyDirectory> = {
  safeList: 'list',
  safeResolve: 'resolve',
  safeReserve: 'reserve',
  publish: ['keyPackage', ['options?', { prekeys: 0, version: 0 }]],
  list: ['accountDid'],
  resolve: ['accountDid', 'deviceId', 'profile?'],
  reserve: [
    'accountDid',
    'deviceId',
    ['options?', { profile: 0, fallbackPolicy: 0, key: 0, unwitnessed: 0, challengeToken: 0, contactPassB64u: 0 }],
  ],
  addPrekeys: ['deviceId', 'prekeys'],
  pool: ['deviceId', 'cursor?'],
  allReservations: ['deviceId'],
  settings: [],
  configure: [['policy', { reserve: 1, contacts: 1 }]],
  revoke: ['deviceId', 'version'],
}

export const GUARDIANS: Takes<Guardians> = {
  safeStatus: 'status',
  makeRequest: [['terms', { subjectHash: 1, guardians: 1, threshold: 1, expiresAt: 0 }]],
  open: ['request'],
  attest: ['requestId', 'expectedSubjectHash'],
  status: ['requestId'],
}

export const EPOCHS: Takes<Epochs> = {
  current: [],
  join: [],
  acknowledge: ['epoch'],
}

export const TRANSPARENCY: Takes<Transparency> = {
  safeCheckpoint: 'checkpoint',
  safeCosigned: 'cosigned',
  safeLabelOf: 'labelOf',
  safeLabelProofOf: 'labelProofOf',
  safeProve: 'prove',
  safeProveUpdate: 'proveUpdate',
  safeWaitFor: 'waitFor',
  safeAccount: 'account',
  safeUpdatesOf: 'updatesOf',
  safeFollow: 'follow',
  safeWitnessed: 'witnessed',
  safeVerifyExtension: 'verifyExtension',
  logs: [],
  checkpoint: ['log?'],
  cosigned: ['log?'],
  labelOf: ['accountDid'],
  labelProofOf: ['accountDid'],
  prove: ['published'],
  proveUpdate: ['accountDid', 'statementHash', ['options?', { dated: 0 }]],
  waitFor: ['published', 'attempts?', 'pauseMs?'],
  verifyExtension: ['earlier', 'later'],
  account: ['accountDid'],
  updatesOf: ['accountDid'],
  follow: ['accountDid', 'from?'],
  watch: ['accountDid', ['options?', { from: 0, everyMs: 0, maxSilenceMs: 0 }]],
  agree: ['accountDid', 'seq', 'read'],
  witnessed: ['account'],
}

export const MEMBERSHIP: Takes<Membership> = {
  safeVerify: 'verify',
  safeOfficers: 'officers',
  verify: ['orgDid', 'memberDid'],
  officers: ['orgDid', ['options?', { at: 0 }]],
  bindings: [['page?', { limit: 0, cursor: 0 }]],
  allBindings: [],
  accept: [['terms', { orgDid: 1, provider: 1, subjectHash: 1 }]],
}

export const MEMBERS: Takes<Members> = {
  safeVerify: 'verify',
  safeList: 'list',
  list: [['page?', { orgDid: 0, limit: 0, cursor: 0 }]],
  all: ['orgDid?'],
  allMemberships: ['orgDid?'],
  memberships: [['page?', { orgDid: 0, limit: 0, cursor: 0 }]],
  events: ['from?', 'orgDid?'],
  verify: ['orgDid?'],
  bind: [
    ['terms', { memberDid: 1, provider: 1, subjectHash: 1, role: 1, permissions: 0, expiresAt: 0, acceptance: 0 }],
  ],
  update: [
    ['terms', { memberDid: 1, provider: 1, subjectHash: 1, role: 1, permissions: 0, expiresAt: 0, acceptance: 0 }],
  ],
  suspend: ['memberDid', ['window?', { from: 0, until: 0 }]],
  resume: ['memberDid'],
  revoke: ['memberDid'],
  make: [
    [
      'change',
      {
        memberDid: 1,
        event: 1,
        type: 0,
        realm: 0,
        orgDid: 0,
        orgScope: 0,
        rootEpoch: 0,
        sequence: 0,
        previousHash: 0,
        inception: 0,
        issuedAt: 0,
        provider: 0,
        subjectHash: 0,
        role: 0,
        permissions: 0,
        expiresAt: 0,
        suspendedFrom: 0,
        suspendedUntil: 0,
      },
    ],
    'head',
    'acceptance?',
  ],
  send: ['event'],
}

export const ORGANIZATION: Takes<Organization> = {
  makeInception: ['officers', 'quorum', 'head'],
  makeRotation: ['officers', 'quorum', 'rosterVersion', 'head'],
  accept: ['statement'],
  approve: ['statement'],
  incept: ['statement', 'acceptances'],
  rotateOfficers: ['statement', ['signatures', { approvals: 1, acceptances: 1 }]],
}

export const PAY: Takes<Pay> = {
  safeOffer: 'offer',
  offers: ['country?'],
  offer: ['sku', 'country?'],
  intent: ['sku', ['options?', { country: 0, key: 0 }]],
  readIntent: ['id'],
  cancel: ['id'],
}

export const ENTITLEMENT: Takes<Entitlements> = {
  current: [],
  redeem: ['code'],
  changePlan: ['id', 'sku'],
  setRenewal: ['id', 'renews'],
}

export const QUOTA: Takes<Quota> = {
  meters: [],
  stored: [],
  consume: ['kind', ['options?', { amount: 0, key: 0 }]],
  lease: ['kind', 'amount', ['options?', { key: 0 }]],
  refund: ['key'],
  reduce: ['kind', 'key', 'amount'],
}
