import { packageProject } from '../../scripts/checks/projects/package-tests.ts'

export default packageProject('log', {
  runtime: 'workerd',
  hosted: {
    durableObjects: { LOGS: { className: 'TestLogObject', useSQLite: true } },
    r2Buckets: ['TILES'],
  },
})
