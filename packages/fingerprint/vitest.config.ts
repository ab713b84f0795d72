import { packageProject } from '../../scripts/lib/package-tests.ts'

export default packageProject('fingerprint', { runtime: 'workerd' })
