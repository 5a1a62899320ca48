@"%~dp0..\node.exe" "%~dp0..\app\cli.js" %*
