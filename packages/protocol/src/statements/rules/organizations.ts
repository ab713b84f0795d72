import { pure } from '../../base/pure.ts'
import { EPOCH_ENDS, LINK, type StatementRules } from './rule.ts'

const ORGANIZATION = 'the current root key of the organization'

/** What organizations, their officers and their members sign. */
export const ORGANIZATION_RULES = /* @__PURE__ */ pure(
  () =>
    ({
      'svc/org-inception/v1': {
        signer: ORGANIZATION,
        subject: ['did', 'scope'],
        verifier: 'core, `POST /api/inception/org`; every reader of the inception log',
        replay: { kind: 'position', members: LINK },
        expires: EPOCH_ENDS,
      },
      'svc/org-officers/v1': {
        signer: `${ORGANIZATION}, and a quorum of the outgoing officers`,
        subject: ['did', 'scope'],
        verifier: 'core, `POST /api/inception/org-officers`; every reader of the inception log',
        replay: { kind: 'position', members: LINK },
        expires: EPOCH_ENDS,
      },
      'svc/officer-acceptance/v1': {
        signer: 'the current root key of the officer',
        subject: ['orgDid', 'orgScope', 'officerDid'],
        verifier: 'core, inside `svc/org-inception/v1` and `svc/org-officers/v1`',
        replay: { kind: 'container', members: ['rosterHash'] },
        expires: 'with the roster that it accepts',
      },
      'svc/org-binding/v1': {
        signer: ORGANIZATION,
        subject: ['orgDid', 'orgScope', 'memberDid'],
        verifier: 'the DID service, `POST /1.0/org/{orgDid}/bind` and `/revoke`; every reader of the bindings',
        replay: { kind: 'once', members: LINK },
        expires: EPOCH_ENDS,
      },
      'svc/org-acceptance/v1': {
        signer: 'the current root key of the member',
        subject: ['orgDid', 'orgScope', 'memberDid'],
        verifier: 'the DID service, inside `svc/org-binding/v1`',
        replay: { kind: 'newest', members: ['issuedAt'] },
        expires: 'with its first binding, and with the root key of the member',
      },
    }) satisfies StatementRules,
)
