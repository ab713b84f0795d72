import { defineFaults } from '../fault.ts'

/** The auth Worker: OPAQUE, ceremonies, identity providers, passkeys and sessions. */
export const AUTH_FAULTS = defineFaults([
  {
    id: 'opaque-unmasked',
    about: 'The OPAQUE envelope is sent unmasked',
    edits: [
      {
        find: 'return plain.map((byte, i) => byte ^ (pad[i] ?? 0))',
        replace: 'return plain.map((byte, i) => byte ^ (i < 0 ? (pad[i] ?? 0) : 0))',
      },
    ],
    projects: ['auth'],
    tests: ['opaque'],
  },
  {
    id: 'opaque-fake-varies',
    about: 'Unknown users can be told apart because their answers vary',
    edits: [
      {
        find: "maskingKey: derive(secret, 'svc/opaque-fake-mask/v1', identifier, HASH_BYTES)",
        replace: 'maskingKey: crypto.getRandomValues(new Uint8Array(HASH_BYTES))',
      },
    ],
    projects: ['auth'],
    tests: ['opaque'],
  },
  {
    id: 'opaque-finish',
    about: 'Any final message completes a login',
    edits: [
      {
        find: 'return ke3.length === KE3_BYTES && equalBytes(ke3, expectedClientMac)',
        replace: 'return ke3.length === expectedClientMac.length',
      },
    ],
    projects: ['auth'],
    tests: ['opaque'],
  },
  {
    id: 'guess-without-grant',
    about: 'Registrations with made-up grants use up the guesses of an identifier',
    edits: [
      {
        find: "if (!(await deps.opaque.allows(body.grant))) throw new ApiError('code_unusable') await countGuess(deps, body, { headers, now })",
        replace:
          "await countGuess(deps, body, { headers, now }); if (!(await deps.opaque.allows(body.grant))) throw new ApiError('code_unusable')",
      },
    ],
    projects: ['auth'],
    tests: ['opaque/identifier-limit'],
  },
  {
    id: 'guess-door-closed',
    about: 'After too many guesses a passed challenge lets nobody in',
    edits: [
      {
        find: "return (await passes()) ? this.#take(GUESSES.challenged, name) : err({ reason: 'challenge_required' })",
        replace: "await passes(); return err({ reason: 'challenge_required' })",
      },
    ],
    projects: ['auth'],
    tests: ['opaque/identifier-limit'],
  },
  {
    id: 'known-device-forever',
    about: 'A device stays known for ever',
    edits: [
      {
        find: 'SELECT 1 AS one FROM known_devices WHERE token_hash = ? AND expires_at > ?',
        replace: 'SELECT 1 AS one FROM known_devices WHERE token_hash = ? AND ? > 0',
      },
    ],
    projects: ['auth'],
    tests: ['opaque/identifier-limit'],
  },
  {
    id: 'known-devices-many',
    about: 'An account has any number of known devices',
    edits: [{ find: 'const MAX_KNOWN_DEVICES = 8', replace: 'const MAX_KNOWN_DEVICES = 800' }],
    projects: ['auth'],
    tests: ['opaque/identifier-limit'],
  },
  {
    id: 'ceremony-taken-twice',
    about: 'A ceremony can be used twice',
    edits: [{ find: 'async (object) => object.take(kind)', replace: 'async (object) => object.look(kind)' }],
    projects: ['auth'],
    tests: ['ceremonies', 'opaque.test', 'sign-in-races'],
  },
  {
    id: 'ticket-verifier',
    about: 'A ticket can be redeemed without its verifier',
    edits: [
      {
        find: 'if (!state || !equalSecrets(challengeOf(verifier), state.challenge)) return null',
        replace: 'if (!state || verifier === state.challenge) return null',
      },
    ],
    projects: ['auth'],
    tests: ['providers'],
  },
  {
    id: 'redirect-browser',
    about: 'A redirect can be completed in another browser',
    edits: [
      {
        find: "if (browser === null || !equalSecrets(hash(browser), seen.browserHash)) return err({ reason: 'code_unusable' })",
        replace: '',
      },
    ],
    projects: ['auth'],
    tests: ['providers'],
  },
  {
    id: 'redirect-nonce',
    about: 'All redirects share one nonce, so an ID token of another redirect is accepted',
    edits: [
      {
        find: 'const [browser, nonce, codeVerifier] = [secret(), secret(), secret()]',
        replace: "const [browser, nonce, codeVerifier] = [secret(), 'nonce', secret()]",
      },
    ],
    projects: ['auth'],
    tests: ['test/providers/'],
  },
  {
    id: 'redirect-pkce',
    about: 'The PKCE challenge reveals its verifier',
    edits: [
      {
        find: 'code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier)',
        replace: 'code_challenge: codeVerifier',
      },
    ],
    projects: ['auth'],
    tests: ['test/providers/'],
  },
  {
    id: 'token-key-of-tenant',
    about: 'A key of one tenant can sign for another',
    edits: [
      {
        find: 'return keyIssuer === undefined || keyIssuer === template || keyIssuer === issuer',
        replace: "return keyIssuer === undefined || typeof keyIssuer === 'string' || template === issuer",
      },
    ],
    projects: ['auth'],
    tests: ['provider'],
  },
  {
    id: 'passkey-counter',
    about: 'A signature counter that goes back is accepted',
    edits: [
      {
        find: 'return (stored === 0 && presented === 0) || presented > stored',
        replace: 'return stored >= 0 && presented >= 0',
      },
    ],
    projects: ['auth'],
    tests: ['passkey'],
  },
  {
    id: 'passkey-counter-sql',
    about: 'Two concurrent uses with one counter both succeed',
    edits: [
      {
        find: 'WHERE credential_id = ?1 AND (counter < ?2 OR (counter = 0 AND ?2 = 0))',
        replace: 'WHERE credential_id = ?1',
      },
    ],
    projects: ['auth'],
    tests: ['test/passkeys/counter.test'],
  },
  {
    id: 'passkey-origin',
    about: 'A passkey is accepted from a page of any Origin',
    edits: [
      {
        find: 'expectedOrigin: [...this.#party.origins], expectedRPID: this.#party.id, requireUserVerification: true, // Zero',
        replace:
          'expectedOrigin: JSON.parse(new TextDecoder().decode(bytesOf(response.response.clientDataJSON))).origin, expectedRPID: this.#party.id, requireUserVerification: true, // Zero',
      },
    ],
    projects: ['auth'],
    tests: ['passkeys-refusals', 'passkeys'],
  },
  {
    id: 'passkey-user',
    about: 'A passkey is accepted with the user handle of another account',
    edits: [
      {
        find: "if (!verified || userHandle !== stored.accountId) return err({ reason: 'rejected' })",
        replace: "if (!verified || userHandle === '') return err({ reason: 'rejected' })",
      },
    ],
    projects: ['auth'],
    tests: ['passkeys-refusals', 'passkeys'],
  },
  {
    id: 'session-over',
    about: 'Expired sessions are accepted',
    edits: [
      {
        find: 'FROM sessions WHERE token_hash = ? AND expires_at > ?',
        replace: 'FROM sessions WHERE token_hash = ? AND ? > 0',
      },
    ],
    projects: ['auth'],
    tests: ['sessions'],
  },
])
