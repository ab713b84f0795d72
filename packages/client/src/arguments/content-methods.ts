import type { Preferences } from '#protocol/consent/consent'
import type { Consent } from '../consent/consent.ts'
import type { Contact } from '../inbox/contact.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Anchors } from '../ledger/anchors.ts'
import type { Assets } from '../ledger/assets.ts'
import type { Governance } from '../ledger/governance.ts'
import type { Notes } from '../notes/notes.ts'
import type { Note } from '../notes/record.ts'
import type { NoteText, WrittenNote } from '../notes/vault.ts'
import type { Provenance } from '../provenance/provenance.ts'
import type { Members } from './check.ts'
import type { Takes } from './takes.ts'

/** Of a text, or of a note that is written once more. */
const NOTE_TEXT: Members<NoteText | Note | WrittenNote> = {
  title: 0,
  body: 1,
  tags: 0,
  attachments: 0,
  noteId: 0,
  version: 0,
  recordHash: 0,
  follows: 0,
  seq: 0,
  acceptedAt: 0,
  keyId: 0,
  readers: 0,
  signer: 0,
  order: 0,
  isConcurrent: 0,
}

const PREFERENCES: Members<Preferences> = {
  ai_training: 0,
  search: 0,
  generative_ai_training: 0,
  automated_processing: 0,
  conditional: 0,
}

export const NOTES: Takes<Notes> = {
  safeGet: 'get',
  safeList: 'list',
  safeHistory: 'history',
  safeAttachment: 'attachment',
  put: [['text', NOTE_TEXT], 'over?'],
  putAs: ['noteId', ['text', { title: 0, body: 1, tags: 0 }]],
  putMany: ['texts', ['options?', { onProgress: 0 }]],
  get: ['noteId', 'version?', ['options?', { acceptEnded: 0 }]],
  list: [['query?', { cursor: 0, limit: 0 }]],
  all: [],
  readers: [],
  history: ['noteId'],
  delete: ['noteId'],
  attach: ['note', ['added', { name: 1, type: 1, bytes: 1 }], ['options?', { onProgress: 0 }]],
  putCiphertext: ['noteId', 'attachmentId', 'sealed'],
  ciphertext: ['noteId', 'attachmentId'],
  attachment: ['noteId', 'file', ['options?', { start: 0, end: 0, onProgress: 0 }]],
  attachmentStream: ['noteId', 'file', ['options?', { start: 0, end: 0, onProgress: 0 }]],
  storage: [],
  has: ['cipherHash'],
  collect: [],
  rebuild: [['options?', { dryRun: 0 }]],
  export: [],
  restore: ['items', ['options?', { repair: 0, receiptKeyB64u: 0, onProgress: 0 }]],
  attestations: [],
  learn: ['attestations'],
  isReceipt: ['signed', 'key?'],
  isOurs: ['record'],
  check: ['record'],
  originOf: ['noteId', 'version'],
  open: ['stored', ['options?', { acceptEnded: 0 }]],
  send: ['submission'],
  rewrite: ['note', 'base', 'origin'],
}

export const INBOX: Takes<Inbox> = {
  safeList: 'list',
  safeOpen: 'open',
  list: [['options?', { cursor: 0, limit: 0 }]],
  open: ['message'],
  reply: ['message', 'opened', 'text'],
  read: ['msgId'],
  all: [],
  delete: ['msgId'],
  acceptsFrom: [],
  acceptFrom: ['acceptsFrom'],
  export: [],
}

export const CONTACT: Takes<Contact> = {
  safeRequest: 'request',
  safeResend: 'resend',
  safeVerify: 'verify',
  safeOpenReply: 'openReply',
  request: [['request', { assetId: 1, fromEmail: 1, challengeToken: 1, owner: 0 }]],
  seal: ['contact', ['draft', { name: 1, email: 1, subject: 1, message: 1, sentAt: 0, replyKeyB64u: 0 }]],
  resend: ['contact'],
  verify: ['contact', 'code', 'envelope'],
  replyKey: ['contact'],
  openReply: ['reply', 'kept'],
}

export const ANCHORS: Takes<Anchors> = {
  safePage: 'page',
  safeRead: 'read',
  safeStateProof: 'stateProof',
  safeCheckpoint: 'checkpoint',
  safeBundle: 'bundle',
  safeVerify: 'verify',
  safeCosigned: 'cosigned',
  safeUpgrade: 'upgrade',
  safePublications: 'publications',
  safeVerifyExtension: 'verifyExtension',
  logs: [],
  stamp: [
    ['file', { hash: 1, name: 0 }],
    ['options?', { isFindable: 0, epoch: 0, keep: 0 }],
  ],
  complete: ['stamp'],
  keep: ['stamp'],
  stampOf: ['anchorId'],
  kept: [],
  submit: [['anchor', { root: 1, epoch: 1, attestations: 0 }]],
  attest: ['root', 'epoch', 'owner?'],
  eligibility: [],
  page: [['query?', { owner: 0, status: 0, root: 0, limit: 0, cursor: 0, attestations: 0 }]],
  all: [['filter?', { owner: 0, status: 0, root: 0 }]],
  read: ['anchorId'],
  publications: ['anchorId'],
  stateProof: ['window?'],
  checkpoint: ['log?'],
  verifyExtension: ['earlier', 'later'],
  bundle: ['anchorId'],
  verify: ['anchorId'],
  cosigned: ['anchorId'],
  upgrade: ['bundle'],
}

export const ASSETS: Takes<Assets> = {
  safeRead: 'read',
  safeExport: 'export',
  safeReceipts: 'receipts',
  mint: [['core', { media: 1, metadataHash: 0, royalty: 0, perceptual: 0 }]],
  transfer: ['assetId', 'to'],
  read: ['assetId'],
  export: ['assetId'],
  displaced: ['assetId'],
  receipts: ['assetId'],
  addReceipt: ['assetId', ['receipt', { standard: 1, contract: 1, tokenId: 1, chainId: 0, txHash: 0 }]],
}

export const CONSENT: Takes<Consent> = {
  safeRead: 'read',
  safeReadMany: 'readMany',
  safeHistory: 'history',
  safeSnapshot: 'snapshot',
  safeOptOut: 'optOut',
  publish: ['hash', ['preferences', PREFERENCES]],
  update: ['hash', ['preferences', PREFERENCES]],
  revoke: ['hash'],
  withdrawClaim: ['hash'],
  read: ['hash'],
  readMany: ['hashes'],
  byCreator: ['did'],
  kept: ['did'],
  optOut: ['hash'],
  history: ['hash'],
  snapshot: [['options?', { at: 0, buckets: 0 }]],
}

export const PROVENANCE: Takes<Provenance> = {
  safeCapsule: 'capsule',
  safeVerifyCapsule: 'verifyCapsule',
  safeProof: 'proof',
  safeCommitment: 'commitment',
  safeVerify: 'verify',
  safeVerifyWithKeyStatus: 'verifyWithKeyStatus',
  sign: [
    'file',
    [
      'facts',
      {
        kind: 1,
        mime: 1,
        width: 0,
        height: 0,
        durationMs: 0,
        perceptual: 0,
        keypointsHash: 0,
        metadataHash: 0,
        capturedAt: 0,
      },
    ],
  ],
  bind: ['signed', 'head'],
  register: ['signed', ['options?', { vectors: 0 }]],
  deleteCapsule: ['assetId'],
  capsule: ['assetId', 'did?'],
  verifyCapsule: ['assetId', 'did?'],
  proof: ['assetId', 'did?'],
  rootKeysOf: ['did'],
  commit: ['content'],
  commitment: ['id'],
  verify: [['request', { publicKeyB64u: 1, signatureB64u: 1, messageB64u: 1, nonce: 0 }]],
  verifyWithKeyStatus: [['request', { publicKeyB64u: 1, signatureB64u: 1, messageB64u: 1, nonce: 0 }]],
  verifyBatch: ['requests'],
  safeKeypoints: 'keypoints',
  safeModel: 'model',
  registerText: ['text', ['options?', { assetId: 0 }]],
  searchText: ['text'],
  search: ['kind', 'vectors', ['options?', { limit: 0 }]],
  deleteText: ['assetId'],
  uploadKeypoints: ['blob'],
  keypoints: ['hash'],
  myKeypoints: ['cursor?'],
  allKeypoints: [],
  deleteKeypoints: ['hash'],
  takedowns: [],
  models: [],
  model: ['model'],
}

export const GOVERNANCE: Takes<Governance> = {
  safePolicy: 'policy',
  policy: [],
  propose: [['policy', { version: 1, threshold: 1, signers: 1, meta: 0 }]],
  attest: ['proposal'],
  publish: ['proposal', 'attestations'],
  audit: [],
}
