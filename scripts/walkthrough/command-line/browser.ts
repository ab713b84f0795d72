/**
 * A browser that goes to the local identity provider, approves, and prints the address that it comes back to.
 *
 *   node browser.ts ADDRESS PAGE EMAIL
 */
import { visitProvider } from '../sign-in/provider-visit.ts'

const [start = '', page = '', email = ''] = process.argv.slice(2)
console.log(`${page}#${(await visitProvider(start, page, email)).toString()}`)
