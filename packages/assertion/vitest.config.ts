import { packageProject } from '../../scripts/checks/projects/package-tests.ts'

export default packageProject('assertion', {
  runtime: 'workerd',
  hosted: { durableObjects: { NONCES: { className: 'NonceObject', useSQLite: true } } },
})
