import { platformTests } from './platform-tests.ts'
import { LONG_BROWSER_TESTS } from './tests.ts'

export default platformTests(LONG_BROWSER_TESTS)
