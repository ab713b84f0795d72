import { packageProject } from '../../scripts/lib/package-tests.ts'

export default packageProject('rate-limit', { runtime: 'workerd' })
