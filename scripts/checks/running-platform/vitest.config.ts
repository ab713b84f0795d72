import { findChromium } from '@svc/platform/chromium'
import { platformTests } from './platform-tests.ts'
import { BROWSER_TESTS, LONG_BROWSER_TESTS, PLATFORM_TESTS } from './tests.ts'

const hasBrowser = findChromium() !== undefined

export default platformTests([...(hasBrowser ? [BROWSER_TESTS] : []), ...PLATFORM_TESTS], LONG_BROWSER_TESTS)
