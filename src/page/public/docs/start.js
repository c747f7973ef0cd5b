// Shows the OpenAPI document of the service. Loads nothing from another host.
Scalar.createApiReference('#app', {
  url: new URL('../api/v1/openapi.json', document.baseURI).href,
  // Scalar ignores the document's own server URL, which is relative (OpenAPI 3.1, 4.8.5)
  servers: [{ url: new URL('../api/v1', document.baseURI).href }],
  withDefaultFonts: false,
  defaultOpenAllTags: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  // off: these contact another host, or serve only authors of the page
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
});
