import { render } from 'preact'
import { App } from './app.tsx'
import { readConfiguration } from './configuration.ts'
import { keepForOffline } from './offline/register.ts'
import { pageAt } from './pages.ts'
import { loadAhead } from './shell/loaded.tsx'
import { language } from './words/language.ts'

const root = document.getElementById('app')
if (!root) throw new Error('index.html has no element for the app')
document.documentElement.lang = language

try {
  // The page itself says if it does not arrive.
  const page = loadAhead(pageAt(location.pathname).load).catch(() => undefined)
  const configuration = await readConfiguration()
  await page
  render(<App configuration={configuration} />, root)
  keepForOffline()
} catch (error) {
  console.error(error)
  render(<p role="alert">This page could not be loaded. Reload it; if that does not help, ask the operator.</p>, root)
}
