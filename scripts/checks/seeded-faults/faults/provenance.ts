import { defineFaults } from '../fault.ts'

/** The provenance Worker: consent authority, commitments, texts, capsules, units, signature checks and search. */
export const PROVENANCE_FAULTS = defineFaults([
  {
    id: 'generation-first',
    about: 'New sets go to the first generation of an index, which may be full',
    edits: [{ find: 'return this.#indexes.length', replace: 'return 1' }],
    projects: ['provenance'],
    tests: ['test/vectors/generations.test'],
  },
  {
    id: 'generation-moves',
    about: 'Reindexing moves a set to the newest generation, and leaves its vectors in the one before',
    edits: [{ find: 'generation = coalesce(generation, ?3)', replace: 'generation = ?3' }],
    projects: ['provenance'],
    tests: ['test/vectors/generations.test'],
  },
  {
    id: 'authority-of-another',
    about: 'Any root key can declare consent for any DID',
    edits: [{ find: 'if (scope.did !== did) return REFUSED', replace: '' }],
    projects: ['provenance'],
    tests: ['test/consent-authority/consent-authority.test'],
  },
  {
    id: 'authority-device-capability',
    about: 'A device can declare consent without the capability',
    edits: [
      {
        find: 'record.rootEpoch === record.currentEpoch && record.capabilities.includes(CONSENT_CAPABILITY)',
        replace: 'record.rootEpoch === record.currentEpoch',
      },
    ],
    projects: ['provenance'],
    tests: ['test/consent-authority/faults.test'],
  },
  {
    id: 'authority-doubt',
    about: 'A failure of core is reported as a refused key',
    edits: [
      { find: 'return REFUSALS_OF_A_KEY.includes(failure.error) ? REFUSED : DOUBTFUL', replace: 'return REFUSED' },
    ],
    projects: ['provenance'],
    tests: ['test/consent-authority/faults.test'],
  },
  {
    id: 'commitment-limit',
    about: 'The number of commitments is not limited',
    edits: [{ find: 'WHERE (SELECT count(*) FROM commitments WHERE did = ?2) < ?6', replace: 'WHERE ?6 > 0' }],
    projects: ['provenance'],
    tests: ['test/commitments/commitments.test'],
  },
  {
    id: 'commitment-duplicate',
    about: 'A duplicate commitment is reported as new',
    edits: [{ find: 'duplicate: made?.results.length === 0', replace: 'duplicate: made === undefined' }],
    projects: ['provenance'],
    tests: ['test/commitments/commitments.test'],
  },
  {
    id: 'text-claimed',
    about: 'A text that is being registered can be taken over',
    edits: [
      {
        find: '(claimed_at <= ?4 OR (registrant = ?2 AND certified <= ?3))',
        replace: '?4 > 0',
      },
    ],
    projects: ['provenance'],
    tests: ['test/text/faults.test'],
  },
  {
    id: 'text-seen-early',
    about: 'A text is visible before its registration has completed',
    edits: [
      {
        find: 'FROM text_assets WHERE asset_id = ? AND registered_at IS NOT NULL',
        replace: 'FROM text_assets WHERE asset_id = ?',
      },
    ],
    projects: ['provenance'],
    tests: ['test/text/faults.test'],
  },
  {
    id: 'text-prose',
    about: 'Prose sent along with vectors is accepted',
    edits: [
      {
        find: "if (prose !== undefined) return err({ reason: 'prose', key: prose }) const { asset_id: assetId, chunks, word_count: wordCount }",
        replace: 'const { asset_id: assetId, chunks, word_count: wordCount }',
      },
    ],
    projects: ['provenance'],
    tests: ['test/text/registration.test'],
  },
  {
    id: 'capsule-owner',
    about: 'A capsule that names another owner is registered',
    edits: [{ find: "if (capsule.did !== did) return { reason: 'owner_mismatch' }", replace: '' }],
    projects: ['provenance'],
    tests: ['test/capsules/capsules.test'],
  },
  {
    id: 'capsule-signature',
    about: 'Capsule signatures are not verified',
    edits: [
      {
        find: "if (!(await this.#isSigned(capsule, signature))) return err({ reason: 'invalid_signature' })",
        replace: '',
      },
    ],
    projects: ['provenance'],
    tests: ['test/capsules/capsules.test'],
  },
  {
    id: 'capsule-late',
    about: 'A capsule is registered whose body may be deleted already',
    edits: [
      {
        find: 'if (this.find(assetId, did) || !this.outgoing.named(bodyKey, now)) return ok(null)',
        replace: 'if (this.find(assetId, did)) return ok(null); this.outgoing.named(bodyKey, now)',
      },
    ],
    projects: ['provenance'],
    tests: ['test/capsules/owners.test'],
  },
  {
    id: 'capsule-news-old',
    about: 'The list of an owner takes news that are older than what it knows',
    edits: [
      {
        find: "is_held FROM held WHERE asset_id = ?', assetId) .toArray() if (before && before.revision >= revision) return",
        replace: "is_held FROM held WHERE asset_id = ?', assetId).toArray(); if (before?.revision === revision) return",
      },
    ],
    projects: ['provenance'],
    tests: ['test/capsules/owners.test'],
  },
  {
    id: 'capsule-vectors-once',
    about: 'Vectors that are stored after their registration was deleted stay searchable',
    edits: [
      {
        find: 'SET is_repeat = 1, attempts = 0, due_at = ? WHERE',
        replace: 'SET is_repeat = 1, attempts = 0, due_at = 9000000000000 + ? WHERE',
      },
    ],
    projects: ['provenance'],
    tests: ['test/capsules/deletion.test'],
  },
  {
    id: 'unit-kept',
    about: 'A failed registration keeps its quota unit',
    edits: [
      {
        find: 'if (!isCounted) await quota.release(did, key)',
        replace: 'if (isCounted) await quota.release(did, key)',
      },
    ],
    projects: ['provenance'],
    tests: ['test/capsules/faults.test'],
  },
  {
    id: 'check-nonce-first',
    about: 'An invalid signature spends its nonce',
    edits: [
      {
        find: "const verdict = await this.#verdictOn(request) if (!verdict) return err({ reason: 'verification_failed' }) return answerOf(",
        replace:
          "const read = new CheckRoom().read(request)\n    if (read) await this.#nonces.spend(await nonceName(read.publicKey, read.nonce))\n    const verdict = await this.#verdictOn(request)\n    if (!verdict) return err({ reason: 'verification_failed' })\n    return answerOf(",
      },
    ],
    projects: ['provenance'],
    tests: ['test/verification/verification.test'],
  },
  {
    id: 'search-order',
    about: 'A search ranks the weakest candidates first',
    edits: [
      {
        find: 'right.queries - left.queries || (isText',
        replace: 'left.queries - right.queries || (isText',
      },
    ],
    projects: ['provenance'],
    tests: ['src/search/rules.test'],
  },
  {
    id: 'text-spans',
    about: 'A chunk of a text covers words that the text does not have',
    edits: [{ find: 'Math.min(place.extent, wordCount - place.start)', replace: 'place.extent' }],
    projects: ['provenance'],
    tests: ['src/text/placement.test'],
  },
  {
    id: 'text-squatted',
    about: 'A registration that certifies its id is a duplicate of one that does not',
    edits: [{ find: 'return registration.isCertified && !known.isCertified', replace: 'return false' }],
    projects: ['provenance'],
    tests: ['test/text/certified.test'],
  },
  {
    id: 'takedown-service',
    about: 'An operator act is accepted by a service that it does not name',
    edits: [{ find: 'service: z.literal(service).meta(', replace: 'service: z.string().meta(' }],
    projects: ['provenance'],
    tests: ['test/takedowns/takedowns.test'],
  },
  {
    id: 'takedown-registered-again',
    about: 'A capsule that was taken down can be registered again',
    edits: [
      { find: "sql.exec('INSERT INTO takedowns (asset_id, reason) VALUES (?, ?)', assetId, reason)", replace: '' },
    ],
    projects: ['provenance'],
    tests: ['test/takedowns/takedowns.test'],
  },
  {
    id: 'takedown-keypoints-again',
    about: 'Keypoints that were taken down can be uploaded and read again',
    edits: [
      {
        find: '(SELECT reason FROM takedowns WHERE subject_id = ?1) AS reason FROM (SELECT 1)',
        replace: 'NULL AS reason FROM (SELECT 1)',
      },
    ],
    projects: ['provenance'],
    tests: ['test/takedowns/takedowns.test'],
  },
  {
    id: 'keypoints-shared',
    about: 'Deleting keypoints deletes those of everybody',
    edits: [{ find: 'AND NOT EXISTS (SELECT 1 FROM keypoints WHERE hash = ?1 AND did <> ?2)', replace: '' }],
    projects: ['provenance'],
    tests: ['test/files/keypoints.test'],
  },
  {
    id: 'capsule-position-again',
    about: 'The position of a deleted registration is used again',
    edits: [{ find: 'coalesce((SELECT last FROM positions WHERE asset_id = ?1), 0)) + 1', replace: '0) + 1' }],
    projects: ['provenance'],
    tests: ['test/capsules/deletion.test'],
  },
  {
    id: 'refused-block-left',
    about: 'A refused block leaves the body that was stored for it',
    edits: [{ find: "if (left === 'room and body') return store.discard(entry, Date.now())", replace: '' }],
    projects: ['provenance'],
    tests: ['test/capsules/deletion.test'],
  },
  {
    id: 'text-deleted-for-all',
    about: 'Deleting a text deletes it for everyone who registered it',
    edits: [
      {
        find: 'const isUnclaimed = `asset_id = ?1 AND NOT EXISTS (SELECT 1 FROM text_claimants WHERE asset_id = ?1)`',
        replace: "const isUnclaimed = 'asset_id = ?1'",
      },
    ],
    projects: ['provenance'],
    tests: ['test/text/deletion.test'],
  },
  {
    id: 'index-crowded',
    about: 'A set with many near vectors fills the answer of the index',
    edits: [{ find: 'if (place >= this.#end) {', replace: 'if (place >= 0) {' }],
    projects: ['provenance'],
    tests: ['test/vectors/index.test'],
  },
  {
    id: 'index-full-accepted',
    about: 'A text is registered although the index has no room for it',
    edits: [
      {
        find: "if (!(await this.#sets.hasRoom({ text: places.length }))) return err({ reason: 'index_full' })",
        replace: '',
      },
    ],
    projects: ['provenance'],
    tests: ['test/vectors/full.test'],
  },
  {
    id: 'index-unconfirmed-removal',
    about: 'A set is taken out of the index once, whether or not that works',
    edits: [
      {
        find: "if (isDue && (await index.presence(removal)) === 'none') gone.push(removal.set)",
        replace: 'if (isDue || removal.removedAt !== null) gone.push(removal.set)',
      },
    ],
    projects: ['provenance'],
    tests: ['test/vectors/upkeep.test'],
  },
])
