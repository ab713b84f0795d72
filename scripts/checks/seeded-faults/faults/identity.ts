import { defineFaults } from '../fault.ts'

/** Core: chains, rotation and officers. */
export const IDENTITY_FAULTS = defineFaults([
  {
    id: 'event-feed-unlinked',
    about: 'An event does not name the one before it',
    edits: [{ find: 'at: now, previousHash }', replace: 'at: now, previousHash: NO_EVENT_HASH }' }],
    projects: ['core'],
    tests: ['test/events/'],
  },
  {
    id: 'event-feed-untold-stop',
    about: 'The feed does not tell that a rotation was stopped',
    edits: [{ find: "this.#tell(signed.statement.rotationId, isCancel ? 'cancelled' : 'frozen', now)", replace: '' }],
    projects: ['core'],
    tests: ['test/events/'],
  },
  {
    id: 'event-feed-repeats',
    about: 'A report that is repeated makes a second event',
    edits: [
      {
        find: 'if (!events.has(name)) events.add(kind, ref, Date.now(), name)',
        replace: 'events.add(kind, ref, Date.now())',
      },
    ],
    projects: ['core'],
    tests: ['test/events/'],
  },
  {
    id: 'event-feed-revoked-waits',
    about: 'A device that is revoked while it waits gets the events',
    edits: [
      {
        find: 'return this.#transaction.write( { spentBy: assertion }, ({ did }): Result<EventReading, never> => ok(this.#page(did, query)), )',
        replace: "return ok(this.#page(this.#transaction.read()?.did ?? '', query))",
      },
    ],
    projects: ['core'],
    tests: ['test/events/'],
  },
  {
    id: 'event-ticket-twice',
    about: 'A ticket opens a second socket',
    edits: [{ find: 'this.#delete(row) return row.expires_at', replace: 'return row.expires_at' }],
    projects: ['core'],
    tests: ['test/events/sockets'],
  },
  {
    id: 'event-ticket-expired',
    about: 'A ticket that has expired opens a socket',
    edits: [{ find: 'return row.expires_at > now ?', replace: 'return row.expires_at > 0 ?' }],
    projects: ['core'],
    tests: ['test/events/sockets'],
  },
  {
    id: 'event-ticket-other-identity',
    about: 'A ticket of another identity opens a socket',
    edits: [{ find: '.find((one) => equalSecrets(hash, one.hash))', replace: '.find(() => hash.length > 0)' }],
    projects: ['core'],
    tests: ['test/events/sockets'],
  },
  {
    id: 'event-socket-revoked',
    about: 'The socket of a revoked device is told of events',
    edits: [{ find: 'if (!this.#feed.mayListen(attached))', replace: 'if (attached.openedAt === 0)' }],
    projects: ['core'],
    tests: ['test/events/sockets'],
  },
  {
    id: 'event-socket-flood',
    about: 'What a client sends over its socket reaches the object',
    edits: [{ find: 'if (data === PING) inner.send(PING)', replace: 'if (data !== null) inner.send(data)' }],
    projects: ['core'],
    tests: ['test/events/sockets'],
  },
  {
    id: 'event-socket-rolled-back',
    about: 'A socket is told of an event that is rolled back',
    edits: [
      {
        find: 'queueMicrotask(() => { this.#isTelling = false this.tell(Date.now()) })',
        replace: 'this.#isTelling = false; this.tell(Date.now())',
      },
    ],
    projects: ['core'],
    tests: ['test/events/sockets'],
  },
  {
    id: 'chain-stale-head',
    about: 'A block is appended behind a stale head',
    edits: [{ find: 'if (!checkLink(position.head, claim).ok)', replace: 'if (claim.index === position.head.index)' }],
    projects: ['core*'],
    tests: ['test/chain/chain.test'],
  },
  {
    id: 'chain-held',
    about: 'Blocks are appended during a security hold',
    edits: [{ find: "if (position.held) return err({ reason: 'security_hold', appended: earlier() })", replace: '' }],
    projects: ['core*'],
    tests: ['test/hold/hold.test'],
  },
  {
    id: 'chain-other-owner',
    about: 'A block signed by another key is appended',
    edits: [
      { find: "if (claim.ownerUserId !== position.ownerUserId) return err({ reason: 'owner_mismatch' })", replace: '' },
    ],
    projects: ['core*'],
    tests: ['test/inception/device-routes.test'],
  },
  {
    id: 'chain-stale-epoch',
    about: 'A block of an earlier epoch is appended',
    edits: [
      {
        find: 'if (claim.epoch !== null && claim.epoch !== position.epoch)',
        replace: 'if (claim.epoch !== null && claim.epoch > position.epoch)',
      },
    ],
    projects: ['core*'],
    tests: ['test/rotation/succession.test'],
  },
  {
    id: 'chain-payload',
    about: 'A payload that does not match the block’s hash is stored',
    edits: [
      {
        find: 'if (payloadB64u !== undefined && (await hashHexAsync(bytesOf(payloadB64u))) !== block.dataHash) {',
        replace: "if (payloadB64u === '') {",
      },
    ],
    projects: ['core*'],
    tests: ['test/chain/chain.test'],
  },
  {
    id: 'rotation-window',
    about: 'A rotation activates before its window has passed',
    edits: [
      {
        find: 'if (request.deadline === null || now < request.deadline) {',
        replace: 'if (request.deadline === null) {',
      },
    ],
    projects: ['core*'],
    tests: ['src/rotation/rules.test'],
  },
  {
    id: 'rotation-vetoed',
    about: 'A freeze does not stop a rotation',
    edits: [
      {
        find: "this.#setStatus(signed.statement.rotationId, isCancel ? 'cancelled' : 'frozen')",
        replace: "if (isCancel) this.#setStatus(signed.statement.rotationId, 'cancelled')",
      },
    ],
    projects: ['core*'],
    tests: ['test/rotation/veto.test'],
  },
  {
    id: 'rotation-freezes-run-out',
    about: 'A device can freeze three times only',
    edits: [
      {
        find: "this.#setStatus(signed.statement.rotationId, isCancel ? 'cancelled' : 'frozen')",
        replace: `const used = "SELECT count(*) AS n FROM rotation_signatures WHERE kind = 'freeze' AND signer = ?"
    const isLimited = this.#sql.exec<{ n: number }>(used, signer).one().n > 3
    if (isCancel || !isLimited) this.#setStatus(signed.statement.rotationId, isCancel ? 'cancelled' : 'frozen')`,
      },
    ],
    projects: ['core*'],
    tests: ['test/rotation/veto.test'],
  },
  {
    id: 'rotation-cosigner',
    about: 'A rotation activates without its co-signer',
    edits: [
      {
        find: "request.cosigners.length < request.requiredCosigners ? err({ reason: 'cosigner_required' }) : ok(undefined)",
        replace: 'ok(undefined)',
      },
    ],
    projects: ['core*'],
    tests: ['src/rotation/rules.test'],
  },
  {
    id: 'rotation-new-cosigner',
    about: 'A newly attested device can co-sign a rotation at once',
    edits: [
      {
        find: '(until ?? now) - since >= windowMs',
        replace: '(until ?? now) - since >= 0',
      },
    ],
    projects: ['core*'],
    tests: ['src/rotation/rules.test'],
  },
  {
    id: 'rotation-standing-revoked',
    about: 'A revoked device loses its say at once',
    edits: [{ find: 'now - span.until < times.standingMs', replace: 'now - span.until < 0' }],
    projects: ['core*'],
    tests: ['src/rotation/rules.test'],
  },
  {
    id: 'rotation-cosigned-cancelled',
    about: 'The root key cancels what a device co-signed',
    edits: [{ find: 'if (!isCosigned(request)) {', replace: "if (!isCosigned(request) || by === 'root') {" }],
    projects: ['core*'],
    tests: ['test/rotation/theft.test'],
  },
  {
    id: 'rotation-contested-forever',
    about: 'The root key prolongs a co-signed rotation again and again',
    edits: [{ find: 'isOpen && request.contestedAt === null ?', replace: 'isOpen ?' }],
    projects: ['core*'],
    tests: ['test/rotation/theft.test'],
  },
  {
    id: 'rotation-reopened-witnesses',
    about: 'A reopened rotation is judged by the devices of its first opening',
    edits: [{ find: 'eligible = ?9, witnesses = ?10,', replace: 'eligible = ?9,' }],
    projects: ['core*'],
    tests: ['test/rotation/game/random-play.test'],
  },
  {
    id: 'acceptance-old',
    about: 'A device comes back by what it signed long ago',
    edits: [
      { find: "if (now >= keepUntil || issuedAt > now + ACCEPTANCE_SKEW_MS) return 'statement_expired'", replace: '' },
    ],
    projects: ['core*'],
    tests: ['test/inception/acceptances.test'],
  },
  {
    id: 'acceptance-replayed',
    about: 'One acceptance attests a device again and again',
    edits: [
      {
        find: 'if (isAttestation(event)) this.#transaction.use(onceOf(event), acceptedAt)',
        replace: '',
      },
    ],
    projects: ['core*'],
    tests: ['test/inception/acceptances.test'],
  },
  {
    id: 'rotation-untold',
    about: 'Answers to the owner do not tell that a rotation is pending',
    edits: [
      {
        find: 'return pending ? { pending: pendingChangeOf({ ...pending, cosignatures: pending.cosigners.length }) } : {}',
        replace: 'return {}',
      },
    ],
    projects: ['core*'],
    tests: ['test/rotation/pending.test'],
  },
  {
    id: 'rotation-times',
    about: 'A deployment shortens the time of a contest',
    edits: [
      {
        find: "ENVIRONMENT === 'local' || ROTATION_CONTEST_SECONDS * 1000 === CONTEST_MS",
        replace: 'ENVIRONMENT.length > 0 || ROTATION_CONTEST_SECONDS * 1000 === CONTEST_MS',
      },
    ],
    projects: ['core*'],
    tests: ['test/configuration.test'],
  },
  {
    id: 'rotation-prospects',
    about: 'An owner whose device only vetoes is told that they recover',
    edits: [{ find: "if (devices === 'cosign' && signsV2)", replace: 'if (signsV2)' }],
    projects: ['core*'],
    tests: ['test/rotation/game/prospects.test'],
  },
  {
    id: 'rotation-overtaken',
    about: 'A request takes the place of a co-signed one',
    edits: [{ find: 'return withCosignature ? isOvertakable(pending) : pending === null', replace: 'return true' }],
    projects: ['core*'],
    tests: ['test/rotation/theft.test'],
  },
  {
    id: 'rotation-activated-by-a-stranger',
    about: 'Anyone activates a rotation that nobody co-signed',
    edits: [{ find: 'return !isOvertakable(request)', replace: 'return true' }],
    projects: ['core*'],
    tests: ['test/rotation/theft.test'],
  },
  {
    id: 'rotation-approved-vetoed',
    about: 'A device stops what an operator approved',
    edits: [{ find: "if (request.approvedAt !== null) return err({ reason: 'rotation_approved' })", replace: '' }],
    projects: ['core*'],
    tests: ['test/rotation/v1.test'],
  },
  {
    id: 'rotation-key-reused',
    about: 'A superseded key can return by a rotation',
    edits: [{ find: "if (isKnown(userIdOfKey(newPublicKeyB64u))) return err({ reason: 'key_in_use' })", replace: '' }],
    projects: ['core*'],
    tests: ['src/rotation/rules.test'],
  },
  {
    id: 'officer-not-current',
    about: 'An officer can sign with a superseded root key',
    edits: [
      {
        find: 'officer?.deactivatedAt === null && officer.current.userId === userIdOfKey(publicKeyB64u)',
        replace: 'officer?.deactivatedAt === null && userIdOfKey(publicKeyB64u).length > 0',
      },
    ],
    projects: ['core*'],
    tests: ['test/inception/org.test'],
  },
  {
    id: 'key-agreement-stale',
    about: 'An older key-agreement statement replaces a newer one',
    edits: [
      {
        find: "if (known && known.signed.statement.issuedAt >= signed.statement.issuedAt) return { reason: 'stale' }",
        replace: '',
      },
    ],
    projects: ['did', 'core*'],
    tests: ['test/registration/registration.test'],
  },
  {
    id: 'feed-place-kept',
    about: 'Requests whose clients have left keep a device from waiting for its events',
    edits: [{ find: 'if (!oldest || own.length < MAX_KEY_WAITERS) return', replace: 'if (own.length > 0) return' }],
    projects: ['core*'],
    tests: ['test/events/events.test'],
  },
])
