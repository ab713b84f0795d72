// Shows the description of one service. Nothing can be sent from here: a request needs a key, and none belongs in a page.
const place = document.getElementById('reference')
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
follow()
dark.addEventListener('change', follow)
const show = /** @type {(options: object) => void} */ (globalThis['SwaggerUIBundle'])
show({
  domNode: place,
  url: place.dataset.description,
  supportedSubmitMethods: [],
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
