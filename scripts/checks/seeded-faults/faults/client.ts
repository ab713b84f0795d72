import { defineFaults } from '../fault.ts'

/** The client, which must not believe a server. */
export const CLIENT_FAULTS = defineFaults([
  {
    id: 'client-foreign-realm',
    about: 'A hostile deployment can name the realm of another one',
    edits: [
      {
        find: "if (document.realm !== expectedRealm) throw new DiscoveryError('foreign_realm', document, pinned)",
        replace: '',
      },
    ],
    projects: ['client-node'],
    tests: ['src/discovery/discover.test'],
  },
  {
    id: 'client-unannounced-key',
    about: 'A service can change its key without an announcement',
    edits: [{ find: "return isFirst || key.validFrom > now ? null : 'unannounced_key'", replace: 'return null' }],
    projects: ['client-node'],
    tests: ['src/discovery/discover.test'],
  },
  {
    id: 'client-chain-cut',
    about: 'A server can withhold the newest blocks',
    edits: [{ find: 'if (next === null && last < Number(page.head.index))', replace: 'if (false)' }],
    projects: ['client-node'],
    tests: ['src/chain/reading.test'],
  },
  {
    id: 'client-payload',
    about: 'A server can return a payload that does not match its hash',
    edits: [{ find: 'if ((await hashHexAsync(bytes)) !== record.dataHash)', replace: 'if (false)' }],
    projects: ['client-node'],
    tests: ['src/chain/reading.test'],
  },
  {
    id: 'client-log-rewritten',
    about: 'The auditor accepts a rewritten log',
    edits: [{ find: 'if (toHex(tree.root(size)) !== root)', replace: 'if (false)' }],
    projects: ['keys', 'client-node'],
    tests: ['auditor'],
  },
  {
    id: 'client-document-key',
    about: 'A resolver can add a key of its own to a DID document',
    edits: [{ find: 'if (controller !== did || isEmpty || !isRoot)', replace: 'if (false)' }],
    projects: ['client-node', 'did'],
    tests: ['did.test', 'src/did'],
  },
  {
    id: 'client-note-record',
    about: 'A server can return a different note than the one requested',
    edits: [
      {
        find: 'header.noteId === noteId && statement.aadB64u === noteAad(header)',
        replace: 'statement.aadB64u === noteAad(header)',
      },
    ],
    projects: ['core*', 'client-node'],
    tests: ['notes-sdk-lies', 'notes/sdk'],
  },
  {
    id: 'client-attachment-cut',
    about: 'A server can truncate an attachment at a chunk boundary',
    edits: [{ find: 'iv[11] = isLast ? 1 : 0', replace: 'iv[11] = isLast ? 0 : 0' }],
    projects: ['client-node'],
    tests: ['attachment-cipher'],
  },
  {
    id: 'client-last-resort',
    about: 'A directory can pass off a last-resort prekey as one-time',
    edits: [{ find: "if (usedFallback !== (kind === 'last-resort'))", replace: 'if (false)' }],
    projects: ['keys', 'client-node'],
    tests: ['keys/test/sdk', 'sdk'],
  },
  {
    id: 'client-rollback',
    about: 'A server can show an older head than before',
    edits: [{ find: 'claimed.position > newest.position || isSamePlace(newest, claimed)', replace: 'newest' }],
    projects: ['client-node', 'core*'],
    tests: ['lying-logs', 'memory/'],
  },
  {
    id: 'client-fork-entry',
    about: 'A server can show entries that do not follow the ones before',
    edits: [
      { find: 'const follows = previous === null || isNext(log, previous, piece)', replace: 'const follows = true' },
    ],
    projects: ['core*', 'client-node'],
    tests: ['memory/chain', 'lying-logs'],
  },
  {
    id: 'client-unsigned-entry',
    about: 'A server can show entries that nobody signed',
    edits: [{ find: 'if (signer === null || signer < epoch)', replace: 'if (signer !== null && signer < epoch)' }],
    projects: ['client-node', 'core*'],
    tests: ['lying-logs', 'memory/'],
  },
  {
    id: 'client-second-signature',
    about: 'A server that refuses a block gets another one for its place',
    edits: [{ find: 'keepsRefused: true', replace: 'keepsRefused: false' }],
    projects: ['core*', 'client-node'],
    tests: ['memory/chain'],
  },
  {
    id: 'client-head-not-moved',
    about: 'A server that calls the very head stale gets a second block on it',
    edits: [
      {
        find: 'const isTaken = head.position >= ours.position && head.hash !== ours.hash',
        replace: 'const isTaken = true',
      },
    ],
    projects: ['core*', 'client-node'],
    tests: ['memory/'],
  },
  {
    id: 'client-renumbered-note',
    about: 'A server can show an old version of a note under a new number',
    edits: [{ find: 'if (this.#isRenumbered(head, newest))', replace: 'if (false)' }],
    projects: ['core*', 'client-node'],
    tests: ['memory/notes'],
  },
  {
    id: 'client-store-turns',
    about: 'Two tabs that learn at the same time lose what one of them has seen',
    edits: [
      {
        find: 'await this.store.exclusively(key, async () => this.store.set(key, change(await this.#read(name))))',
        replace: 'await this.store.set(key, change(await this.#read(name)))',
      },
    ],
    projects: ['client-node'],
    tests: ['memory/memory.test'],
  },
  {
    id: 'client-store-foreign',
    about: 'What one deployment showed counts against another one',
    edits: [{ find: 'else this.#refuseForeign(realm)', replace: '' }],
    projects: ['client-node'],
    tests: ['memory/memory.test'],
  },
  {
    id: 'client-file-lock',
    about: 'Two programs write one trust store at the same time',
    edits: [{ find: "if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false", replace: 'return true' }],
    projects: ['client-node'],
    tests: ['node/file-store.test'],
  },
  {
    id: 'feed-forgotten',
    about: 'The SDK takes a feed that contradicts what it was shown',
    edits: [{ find: 'if (hash !== undefined && hash !== piece.hash)', replace: 'if (hash === null)' }],
    projects: ['client-node'],
    tests: ['test/events.test'],
  },
  {
    id: 'client-signer-unverified',
    about: 'A signer can answer a signature that is none',
    edits: [{ find: 'if (!(await mlDsa65.verify(publicKey, message, signature)))', replace: 'if (false)' }],
    projects: ['client-node'],
    tests: ['src/signers/signers.test'],
  },
  {
    id: 'client-signer-any-bytes',
    about: 'A signer in memory signs bytes that are not of their purpose',
    edits: [{ find: 'if (purposeOf(bytes) !== purpose)', replace: 'if (false)' }],
    projects: ['client-node'],
    tests: ['src/signers/signers.test'],
  },
  {
    id: 'client-export-memory',
    about: 'A hostile export of keys can ask for any amount of memory',
    edits: [{ find: '.max(MAX_N)', replace: '' }],
    projects: ['client-node'],
    tests: ['src/backup/export.test'],
  },
  {
    id: 'client-export-did',
    about: 'An export of keys can name the DID of somebody else',
    edits: [{ find: 'if (!isOne || memberships', replace: 'if (memberships' }],
    projects: ['client-node'],
    tests: ['src/backup/export.test'],
  },
  {
    id: 'client-key-file-mode',
    about: 'Others on the machine can read the file with the keys',
    edits: [{ find: "const file = await open(path, 'wx', 0o600)", replace: "const file = await open(path, 'wx')" }],
    projects: ['client-node'],
    tests: ['src/node/key-file.test'],
  },
  {
    id: 'client-sheet-checksum',
    about: 'A code of a recovery sheet that was read wrongly is taken',
    edits: [
      {
        find: '|| checksumOf(code.trim().slice(0, -checksum.length - 1)) !== checksum',
        replace: '|| checksum === code',
      },
    ],
    projects: ['client-node'],
    tests: ['src/backup/words/sheet.test'],
  },
  {
    id: 'client-recover-lost-key',
    about: 'A recovery is sent that rotates to a key that nobody has',
    edits: [{ find: 'if (successor.publicKeyB64u !== kept.newPublicKeyB64u)', replace: 'if (false)' }],
    projects: ['core*'],
    tests: ['rotation/recovery.test'],
  },
  {
    id: 'client-create-unkept',
    about: 'An identity is created before its keys are stored',
    edits: [
      {
        find: 'await options.keep({ identity, device, kept, successor })\n  const exists = await begin(client, identity)',
        replace:
          'const exists = await begin(client, identity)\n  await options.keep({ identity, device, kept, successor })',
      },
    ],
    projects: ['core'],
    tests: ['identity/creating.test'],
  },
  {
    id: 'client-web-crypto-extractable',
    about: 'A program that takes over a page can read its signing key',
    edits: [{ find: 'generateKey(DSA, false,', replace: 'generateKey(DSA, true,' }],
    projects: ['client-node'],
    tests: ['src/signers/other-signers.test'],
  },
])
