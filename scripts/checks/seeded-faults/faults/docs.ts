import { defineFaults } from '../fault.ts'

/** The docs Worker: which page is served, and in which format. */
export const DOCS_FAULTS = defineFaults([
  {
    id: 'page-of-another-section',
    promise: 'A page has one address.',
    find: 'PAGES.find((entry) => entry.section === section && entry.slug === slug)',
    replace: 'PAGES.find((entry) => entry.slug === slug)',
    tests: ['test/pages/pages.test'],
  },
  {
    id: 'page-empty',
    promise: 'An unreadable page is an error, not an empty page.',
    find: "if (response.status !== 200 || body.byteLength === 0) throw new Error('the file cannot be read')",
    replace: '',
    tests: ['test/pages/pages.test'],
  },
])
