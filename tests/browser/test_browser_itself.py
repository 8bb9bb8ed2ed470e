"""The driven browser sees what it must see: a request elsewhere, a serious problem, an error, a wide page."""

GOOD = """<!doctype html><html lang="en"><meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<title>Good</title><main><h1>A page</h1><p>Plain text.</p></main></html>"""
BAD = """<!doctype html><html lang="en"><title>Bad</title><style>p { color: #ddd; background: #fff; width: 500px }
@media (prefers-color-scheme: dark) { p { width: 300px } }</style>
<main><h1>A page</h1><p>Pale text.</p><img src="http://192.0.2.1/far.png" alt=""></main>
<script>throw new Error("thrown")</script></html>"""


def test_a_good_page_has_no_findings_even_under_a_strict_policy(browser, tmp_path):
    (tmp_path / "good.html").write_text(GOOD, encoding="utf-8")
    browser.open(tmp_path / "good.html")
    assert browser.serious_problems() == []
    assert browser.requests_elsewhere() == []
    assert browser.errors() == []
    assert browser.screenshot(tmp_path / "good.png").read_bytes().startswith(b"\x89PNG")


def test_a_bad_page_has_them_all(browser, tmp_path):
    (tmp_path / "bad.html").write_text(BAD, encoding="utf-8")
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*192.0.2.1*"]})  # so that nothing leaves
    browser.open(tmp_path / "bad.html", width=390)
    assert any("color-contrast" in problem for problem in browser.serious_problems())
    assert browser.requests_elsewhere() == ["http://192.0.2.1/far.png"]
    assert any("thrown" in error for error in browser.errors())
    assert browser.sideways() > 0
    browser.open(tmp_path / "bad.html", width=390, scheme="dark")
    assert browser.sideways() == 0
    browser.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
