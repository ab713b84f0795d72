import { packageProject } from '../../scripts/checks/projects/package-tests.ts'

export default packageProject(
  'objects',
  {
    runtime: 'workerd',
    hosted: {
      bindings: { COMMIT: 'c0ffee' },
      durableObjects: {
        OBJECTS: { className: 'LedgerObject', useSQLite: true },
        SHOPS: { className: 'ShopObject', useSQLite: true },
        LIBRARIES: { className: 'LibraryObject', useSQLite: true },
      },
      r2Buckets: ['RECORDS', 'OTHER_RECORDS', 'ERASURE_KEYS'],
    },
  },
  // They need OpenSSL; vitest.node.config.ts runs them.
  { test: { exclude: ['test/vectors/**'] } },
)
