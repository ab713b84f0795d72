import { render } from 'preact'
import { App } from './app.tsx'
import { readConfiguration } from './configuration.ts'
import { keepForOffline } from './offline/register.ts'
import { pageAt } from './pages.ts'
import { language } from './words/language.ts'

const root = document.getElementById('app')
if (!root) throw new Error('index.html has no element for the app')
document.documentElement.lang = language
// On its way while the configuration is; the page itself says if it does not arrive.
pageAt(location.pathname)
  .load()
  .catch(() => undefined)

try {
  render(<App configuration={await readConfiguration()} />, root)
  keepForOffline()
} catch (error) {
  console.error(error)
  render(<p role="alert">This page could not be loaded. Reload it; if that does not help, ask the operator.</p>, root)
}
