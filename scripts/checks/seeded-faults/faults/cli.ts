import { defineFaults } from '../fault.ts'

/** The command line. */
export const CLI_FAULTS = defineFaults([
  {
    id: 'cli-evidence-is-internal',
    about: 'Evidence that does not verify ends svc like a fault of svc',
    edits: [{ find: "case 'VerificationError':\n", replace: '' }],
    projects: ['cli'],
    tests: ['src/failures.test'],
  },
])
