/**
 * Answers of authenticators that people have, in the shapes that their makers publish or that they are known to send: AAGUID,
 * flags, counters, extensions, transports and whatever their browsers add. Keys and signatures are made by the test.
 */
import type { Algorithm, Cbor, Faults, Make } from './authenticator.fixture.ts'

export interface Sold {
  readonly name: string
  readonly alg: Algorithm
  readonly make: Make
  /** Where the counter is at registration; 0 does not count. */
  readonly counter: number
  readonly creation: Faults
  /** One after the other, each on top of `creation`'s client. */
  readonly signIns: readonly Faults[]
}

const certificate = new Uint8Array(700).fill(0x30)
const statement = (members: Record<string, Cbor>) => new Map<string, Cbor>(Object.entries(members))
const results = (clientExtensionResults: unknown, more: object = {}) => ({ clientExtensionResults, ...more })

const LOCAL = 0x05
const ELIGIBLE = 0x0d
const SYNCED = 0x1d

/** Chromium reminds verifiers in one answer of a few that members are added. */
const CHROMIUM = {
  crossOrigin: false,
  other_keys_can_be_added_here: 'do not compare clientDataJSON against a template. See https://goo.gl/yabPex',
}
/** What `toJSON` repeats of the authenticator data. */
const REPEATED = {
  publicKeyAlgorithm: -7,
  publicKey: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE',
  authenticatorData: 'AAAA',
}

export const SOLD: readonly Sold[] = [
  {
    name: 'iCloud Keychain, Safari',
    alg: -7,
    make: { aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd', idBytes: 20 },
    counter: 0,
    creation: {
      flags: SYNCED,
      response: { ...REPEATED, transports: ['internal', 'hybrid'] },
      members: results({ credProps: { rk: true }, prf: { enabled: true } }, { authenticatorAttachment: 'platform' }),
    },
    signIns: [{ flags: SYNCED, members: results({}, { authenticatorAttachment: 'platform' }) }],
  },
  {
    name: 'iCloud Keychain of iOS 15, before it told of copies',
    alg: -7,
    make: { idBytes: 20 },
    counter: 0,
    creation: { flags: LOCAL, response: { transports: undefined }, members: results({}) },
    signIns: [{ flags: LOCAL }, { flags: SYNCED, members: results({}, { authenticatorAttachment: null }) }],
  },
  {
    name: 'Touch ID of a Mac in Chrome, whose counter is a time',
    alg: -7,
    make: { aaguid: 'adce0002-35bc-c60a-648b-0b25f1f05503', idBytes: 32 },
    counter: 1_700_000_000,
    creation: {
      flags: LOCAL,
      page: CHROMIUM,
      response: { ...REPEATED, transports: ['internal'] },
      members: results({ credProps: { rk: true } }, { authenticatorAttachment: 'platform' }),
    },
    signIns: [
      { flags: LOCAL, counter: 1_700_086_400 },
      { flags: LOCAL, counter: 4_294_967_295 },
    ],
  },
  {
    name: 'Google Password Manager, Chrome',
    alg: -7,
    make: { aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4', idBytes: 16 },
    counter: 0,
    creation: {
      flags: SYNCED,
      page: CHROMIUM,
      response: { ...REPEATED, transports: ['hybrid', 'internal'] },
      members: results({ credProps: { rk: true }, prf: { enabled: true, results: {} } }),
    },
    signIns: [
      { flags: SYNCED, page: CHROMIUM, members: results({ prf: {} }, { authenticatorAttachment: 'platform' }) },
      { flags: SYNCED, page: { crossOrigin: false, topOrigin: null, androidPackageName: 'com.android.chrome' } },
    ],
  },
  {
    name: 'Windows Hello with a TPM, which counts and attests unasked in some clients',
    alg: -257,
    make: { aaguid: '08987058-cadc-4b81-b6e1-30de50dcbe96', idBytes: 32 },
    counter: 1,
    creation: {
      flags: LOCAL,
      attestation: {
        fmt: 'tpm',
        attStmt: statement({
          alg: -65_535,
          sig: new Uint8Array(256),
          ver: '2.0',
          x5c: [certificate, certificate],
          pubArea: new Uint8Array(310),
          certInfo: new Uint8Array(161),
        }),
      },
      response: { publicKeyAlgorithm: -257, publicKey: null, transports: ['internal'] },
      members: results({ credProps: { rk: true, authenticatorDisplayName: 'Windows Hello' }, hmacCreateSecret: true }),
    },
    signIns: [{ flags: LOCAL }, { flags: LOCAL, counter: 40 }],
  },
  {
    name: 'Windows Hello in software, which keeps its counter at 0',
    alg: -257,
    make: { aaguid: '6028b017-b1d4-4c02-b4b3-afcdafc96bb2', idBytes: 32 },
    counter: 0,
    creation: { flags: LOCAL, page: { crossOrigin: false }, members: results({ credProps: {} }) },
    signIns: [{ flags: LOCAL }, { flags: LOCAL }],
  },
  {
    name: 'YubiKey 5 with a PIN, over NFC, whose counter is that of all its keys',
    alg: -8,
    make: { aaguid: '2fc0579f-8113-47ea-b116-bb5a8db9202a', idBytes: 64 },
    counter: 6,
    creation: {
      flags: LOCAL,
      extensions: new Map<string, Cbor>([
        ['credProtect', 3],
        ['hmac-secret', true],
      ]),
      attestation: {
        fmt: 'packed',
        attStmt: statement({ alg: -7, sig: new Uint8Array(71), x5c: [certificate] }),
      },
      response: { publicKeyAlgorithm: -8, publicKey: null, transports: ['nfc', 'usb', 'ccid'] },
      members: results({ credProps: { rk: true } }, { authenticatorAttachment: 'cross-platform' }),
    },
    signIns: [
      { flags: LOCAL, counter: 19, members: results({ appid: false }) },
      {
        flags: LOCAL,
        counter: 500,
        extensions: new Map<string, Cbor>([['hmac-secret', new Uint8Array(48)]]),
      },
    ],
  },
  {
    name: 'KeePassXC, where 2.7.12 began to tell of copies',
    alg: -7,
    make: { aaguid: 'fdb141b2-5d84-443e-8a35-4698c205a502', idBytes: 32 },
    counter: 0,
    creation: {
      flags: LOCAL,
      response: { ...REPEATED, transports: ['internal'] },
      members: results({ credProps: { rk: true } }, { authenticatorAttachment: 'platform' }),
    },
    // The second computer of the same person has the older version.
    signIns: [{ flags: LOCAL }, { flags: ELIGIBLE }, { flags: LOCAL }, { flags: SYNCED }],
  },
  {
    name: '1Password, in its extension',
    alg: -7,
    make: { aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d', idBytes: 16 },
    counter: 0,
    creation: {
      flags: LOCAL,
      response: { ...REPEATED, transports: ['internal', 'hybrid', 'a-later-one', ''] },
      members: results({ credProps: { rk: 'true' } }, { authenticatorAttachment: 'platform' }),
    },
    signIns: [{ flags: SYNCED, response: { attestationObject: null }, members: { clientExtensionResults: null } }],
  },
  {
    name: 'Bitwarden, in its extension',
    alg: -7,
    make: { aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349', idBytes: 16 },
    counter: 0,
    creation: {
      flags: LOCAL,
      response: { ...REPEATED, transports: null },
      members: results(undefined, { authenticatorAttachment: 'platform' }),
    },
    signIns: [{ flags: SYNCED }, { flags: SYNCED, members: results({ uvm: [[2, 4, 2]], largeBlob: {} }) }],
  },
  {
    name: 'Samsung Pass, with an attestation of Android and a place that WebAuthn does not know',
    alg: -7,
    make: { aaguid: '53414d53-554e-4700-0000-000000000000', idBytes: 32 },
    counter: 0,
    creation: {
      flags: SYNCED,
      page: { androidPackageName: 'com.sec.android.app.sbrowser' },
      attestation: { fmt: 'android-key', attStmt: statement({ alg: -7, sig: new Uint8Array(70), x5c: [certificate] }) },
      response: { transports: ['internal', 'hybrid'], publicKeyAlgorithm: '-7' },
      members: results({}, { authenticatorAttachment: 'phone', rawId: undefined }),
    },
    signIns: [{ flags: SYNCED, members: results({}, { authenticatorAttachment: '' }) }],
  },
]
