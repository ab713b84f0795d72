import { defineFaults } from '../fault.ts'

/** Core: anchors, assets, governance and IPFS. */
export const LEDGER_FAULTS = defineFaults([
  {
    id: 'anchor-same-again',
    about: 'Resubmitting an anchor gives it a second place in the log',
    edits: [
      {
        find: 'if (existing) return ok(existing) // An anchor is never removed',
        replace: '// An anchor is never removed',
      },
    ],
    projects: ['core*'],
    tests: ['test/anchors/anchors.test'],
  },
  {
    id: 'anchor-delivery-retried',
    about: 'An anchor whose delivery failed is never retried',
    edits: [
      {
        find: 'this.deliver(), this.deliverAnchors(null),',
        replace: 'this.deliver(),',
      },
    ],
    projects: ['core*'],
    tests: ['test/anchors/faults.test'],
  },
  {
    id: 'anchor-order',
    about: 'The log is asked to prove sizes it has not reached',
    edits: [
      {
        find: 'if (first < 1 || first > second || second > head.size)',
        replace: 'if (first < 1 || first > second)',
      },
    ],
    projects: ['core*'],
    tests: ['anchors/log'],
  },
  {
    id: 'anchor-body-exchanged',
    about: 'Rebuilding the index takes attestations that the log has not committed to',
    edits: [{ find: 'if (!entry || !isLogged || !isOwned', replace: 'if (!entry || !isOwned' }],
    projects: ['core*'],
    tests: ['anchors/rebuild'],
  },
  {
    id: 'anchor-body-late',
    about: 'A submission that the owner’s object has lost replaces what was published of it',
    edits: [{ find: 'this.#anchors.restore(kept.anchor)', replace: '' }],
    projects: ['core*'],
    tests: ['anchors/faults'],
  },
  {
    id: 'report-nonce-again',
    about: 'A nonce of the publisher counts again once the database is restored',
    edits: [{ find: "if (!(await this.#files.claim(signed))) return err({ reason: 'replay' })", replace: '' }],
    projects: ['core*'],
    tests: ['anchors/rebuild'],
  },
  {
    id: 'anchor-owner',
    about: 'An attestation of an anchor authorizes submissions of other owners',
    edits: [
      {
        find: "type: 'svc/anchor-submission/v1', realm, owner, root,",
        replace: "type: 'svc/anchor-submission/v1', realm, root,",
      },
    ],
    projects: ['core*', 'protocol'],
    tests: ['test/anchors/authority.test', 'ledger/anchor'],
  },
  {
    id: 'anchor-fresh',
    about: 'An abandoned attestation of an anchor stays usable',
    edits: [{ find: "if (!isSubmissionFresh(attestations, now)) return err({ reason: 'expired' })", replace: '' }],
    projects: ['core*'],
    tests: ['test/anchors/authority.test'],
  },
  {
    id: 'anchor-authority',
    about: 'The owner’s attestation of an anchor is not verified',
    edits: [
      {
        find: 'if (attestations.length === 1 && first?.publicKeyB64u === ownerKey) {',
        replace:
          'if (attestations.length === 1 && first?.publicKeyB64u === ownerKey) {\n      if (attested) return ok(undefined)',
      },
    ],
    projects: ['core*'],
    tests: ['test/anchors/authority.test'],
  },
  {
    id: 'asset-two-transfers',
    about: 'Two concurrent transfers of one asset both succeed',
    edits: [
      {
        find: 'const standing = `SELECT 1 FROM assets WHERE asset_id = ?1 AND proved = ?2 AND head = ?3',
        replace: 'const standing = `SELECT ?3 FROM assets WHERE asset_id = ?1 AND proved = ?2',
      },
    ],
    projects: ['core*'],
    tests: ['test/assets/races.test'],
  },
  {
    id: 'asset-recipient',
    about: 'An asset can be transferred to an identity that does not exist',
    edits: [
      { find: "if (recipient?.deactivatedAt !== null) return err({ reason: 'recipient_unknown' })", replace: '' },
    ],
    projects: ['core*'],
    tests: ['test/assets/transfer.test'],
  },
  {
    id: 'asset-of-another',
    about: 'An asset can be transferred by someone who does not own it',
    edits: [
      { find: "if (standing.owner !== caller.did) return this.#again(caller, header, 'owner_mismatch')", replace: '' },
    ],
    projects: ['core*'],
    tests: ['test/assets/transfer.test'],
  },
  {
    id: 'governance-threshold',
    about: 'A policy’s threshold is not enforced',
    edits: [{ find: "if (keys.length < policy.threshold) return err({ reason: 'threshold_not_met' })", replace: '' }],
    projects: ['protocol', 'core*'],
    tests: ['test/governance/publish.test'],
  },
  {
    id: 'governance-abandoned-draft',
    about: 'The signatures of a policy do not name the policy that it follows',
    edits: [
      {
        find: "jcsBytes({ type: 'svc/governance-policy/v1', realm, policy, previousPolicyId, nonce, issuedAt })",
        replace: "jcsBytes({ type: 'svc/governance-policy/v1', realm, policy, nonce, issuedAt })",
      },
    ],
    projects: ['core*'],
    tests: ['test/governance/publish.test'],
  },
  {
    id: 'asset-not-displaced',
    about: 'An unproved record keeps the id of an asset from its owner',
    edits: [
      {
        find: 'WHERE NOT EXISTS (SELECT 1 FROM assets WHERE asset_id = ?1 AND proved >= ?2)',
        replace: 'WHERE NOT EXISTS (SELECT ?2 FROM assets WHERE asset_id = ?1)',
      },
    ],
    projects: ['core*'],
    tests: ['test/assets/displacement.test'],
  },
  {
    id: 'asset-displaced-unsigned',
    about: 'A mint without the minter’s signature displaces a record',
    edits: [
      {
        find: 'const isProved = isCertified && attestations.some(({ publicKeyB64u }) => publicKeyB64u === caller.publicKeyB64u)',
        replace: 'const isProved = isCertified',
      },
    ],
    projects: ['core*'],
    tests: ['test/assets/displacement.test'],
  },
  {
    id: 'asset-transfer-anywhere',
    about: 'The signature of a transfer is good at any position',
    edits: [
      {
        find: 'const place = { previousOwner: owner, position: transfers, previousEventHash: head }',
        replace: 'const place = { previousOwner: owner, position: transfers * 0, previousEventHash: head.slice(96) }',
      },
    ],
    projects: ['core*'],
    tests: ['test/assets/replay.test'],
  },
  {
    id: 'contact-former-owner',
    about: 'A message is delivered to somebody who does not own the asset any more',
    edits: [
      {
        find: 'return standing?.owner === did ? this.keyInForce(did) : null',
        replace: 'return standing ? this.keyInForce(did) : null',
      },
    ],
    projects: ['core*'],
    tests: ['test/assets/displacement.test'],
  },
  {
    id: 'ipfs-hash',
    about: 'Blocks from a gateway are not checked against their CID',
    edits: [
      {
        find: 'if (bytes && !(await isBlockOf(id, bytes))) {',
        replace: 'if (bytes && bytes.length > MAX_BLOCK_BYTES) {',
      },
    ],
    projects: ['core*'],
    tests: ['test/ipfs/gateway.test'],
  },
  {
    id: 'ipfs-depth',
    about: 'Reading an IPFS file can request an unlimited number of blocks',
    edits: [{ find: "if (this.#walk.asked > this.#walk.most) return err({ reason: 'too_large' })", replace: '' }],
    projects: ['core*'],
    tests: ['src/ipfs/unixfs-file.test'],
  },
  {
    id: 'takedown-content-read',
    about: 'Content that was taken down is still served',
    edits: [
      {
        find: "if (reason !== null) return err({ reason: 'taken_down', why: reason }) const blocks",
        replace: 'const blocks',
      },
    ],
    projects: ['core*'],
    tests: ['test/ipfs/takedown.test'],
  },
  {
    id: 'takedown-content-inside',
    about: 'A block that was taken down is served as a part of other content',
    edits: [
      { find: "return why === null ? ok(node) : err({ reason: 'taken_down', why })", replace: 'return ok(node)' },
    ],
    projects: ['core*'],
    tests: ['test/ipfs/takedown.test'],
  },
  {
    id: 'takedown-pinned-again',
    about: 'A pin that is under way outlives the takedown of its content',
    edits: [
      {
        find: 'const IS_ALLOWED = `NOT EXISTS (SELECT 1 FROM takedowns WHERE subject_id = ?2)',
        replace: "const IS_ALLOWED = `?2 <> ''",
      },
    ],
    projects: ['core*'],
    tests: ['test/ipfs/takedown.test'],
  },
  {
    id: 'unpin-shared',
    about: 'Removing a pin deletes the blocks of everybody who pinned the content',
    edits: [
      {
        find: 'AND NOT EXISTS (SELECT 1 FROM pins o WHERE o.cid = p.cid AND o.upload = p.upload AND o.did <> p.did)',
        replace: '',
      },
    ],
    projects: ['core*'],
    tests: ['test/ipfs/unpinning.test'],
  },
])
