import { defineFaults } from '../fault.ts'

/** The docs Worker: which page is served, and in which format. */
export const DOCS_FAULTS = defineFaults([
  {
    id: 'page-of-another-section',
    about: 'A page is served under the wrong section',
    find: 'PAGES.find((entry) => entry.section === section && entry.slug === slug)',
    replace: 'PAGES.find((entry) => entry.slug === slug)',
    tests: ['test/pages/pages.test'],
  },
  {
    id: 'page-empty',
    about: 'An empty or failed asset is served as a page',
    find: "if (response.status !== 200 || body.byteLength === 0) throw new Error('the file cannot be read')",
    replace: '',
    tests: ['test/pages/pages.test'],
  },
  {
    id: 'page-markdown',
    about: 'Clients that accept anything get Markdown',
    find: "return markdown > 0 && markdown >= acceptedWeight(accept, 'text/html')",
    replace: "return markdown >= acceptedWeight(accept, 'text/html')",
    tests: ['test/pages/pages.test'],
  },
])
